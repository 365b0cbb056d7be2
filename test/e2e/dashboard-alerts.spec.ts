import type { Browser, Page } from 'playwright-core';
import type { NewAlertEvent } from '../../src/alerts/alert-book.js';
import type { Alert } from '../../src/domain/alerts/alert-ledger.js';
import { ALERT_RULES } from '../../src/domain/alerts/alert-rules.js';
import type { AlertDestination } from '../../src/domain/alerts/destinations.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { loadSettings } from '../../src/settings/settings.js';
import { alertAt } from '../support/alerts.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { openPage, startBrowser, type Looking } from '../support/browser.js';
import { DESK, findFlaws, HOSTILE, keepPicture, PHONE, WALL } from '../support/dashboard-world.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { HttpSink } from '../support/http-sink.js';
import { ManualClock } from '../support/manual-clock.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { healthRow, insertRows, nodeRow } from '../support/read-model-rows.js';

const START = Date.UTC(2026, 10, 21, 6);
const MINUTE = 60_000;
const KEY = 'a-key-of-16-chars';
const iso = (minute: number): string => new Date(START + minute * MINUTE).toISOString();

/** An ended alert, two open ones of which one is silenced, a delivered and a refused message. */
function eventsOf(): NewAlertEvent[] {
  const raised = (alert: Alert): NewAlertEvent => ({
    type: 'AlertRaised',
    observedAt: alert.since,
    body: { alert, destinations: ['ops', 'chat'] },
  });
  const delivered = (destination: string, outcome: 'DELIVERED' | 'REFUSED', detail = ''): NewAlertEvent => ({
    type: 'AlertDelivered',
    observedAt: START + 2 * MINUTE,
    body: { notice: 'da-failing-1-raised', destination, outcome, detail },
  });
  const end = { alert: 'da-failing-1', until: START + 5 * MINUTE, destinations: ['ops'], gone: [] };
  const silence = {
    id: 's-1',
    scope: { nodes: ['beta'] },
    from: START,
    until: START + 600 * MINUTE,
    note: HOSTILE.slice(0, 60),
    by: 'Ada',
  };
  return [
    raised(alertAt(START, 1)),
    delivered('ops', 'DELIVERED'),
    delivered('chat', 'REFUSED', 'it answered 401'),
    { type: 'AlertResolved', observedAt: START + 5 * MINUTE, body: end },
    { type: 'AlertsSilenced', observedAt: START, body: { silence } },
    raised(alertAt(START, 6, { reason: HOSTILE })),
    raised(alertAt(START, 7, { nodes: ['beta'] })),
  ];
}

describe('the browser for the page of alerts', () => itHasProgram('chromium'));

(hasProgram('chromium') ? describe : describe.skip)('the page of alerts', () => {
  const clock = new ManualClock(START + 30 * MINUTE);
  let database: TestDatabase;
  let api: ApiServer;
  let locked: ApiServer;
  let bare: ApiServer;
  let [ops, chat]: HttpSink[] = [];
  let browser: Browser;

  beforeAll(async () => {
    database = await startTestDatabase();
    [ops, chat] = [await HttpSink.start(), await HttpSink.start()];
    const destinations: AlertDestination[] = [
      { id: 'ops', kind: 'webhook', url: `${ops.url}/hook` },
      { id: 'chat', kind: 'slack', url: `${chat.url}/hook`, remindMs: 60 * MINUTE },
    ];
    const alerts = { rules: ALERT_RULES, destinations, maintenance: [] };
    api = await startApi(database.url, { clock, alerts });
    locked = await startApi(database.url, { clock, alerts, keys: [KEY] });
    bare = await startApi(database.url, { clock });
    await insertRows(api.dataSource, 'node', [nodeRow(1, 'alpha', { chain_id: 'lab-1' })]);
    await insertRows(api.dataSource, 'health_interval', [
      healthRow('DA', iso(6), null, 'CRITICAL', { rule: 'failing' }),
    ]);
    const stream = '*/operator';
    const store = new EventStore(api.dataSource);
    const { version } = await store.loadStream(stream);
    await store.append({ stream, expectedVersion: version, events: eventsOf() });
    browser = await startBrowser();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await Promise.all([api?.stop(), locked?.stop(), bare?.stop(), ops?.stop(), chat?.stop()]);
    await database?.stop();
  });

  const open = (looking: Looking) => openPage(browser, `${api.url}/alerts`, looking);
  const region = (page: Page, name: string | RegExp) => page.getByRole('region', { name });

  it('shows open alerts with their incident and silence, ended alerts, and rules in words', async () => {
    const { page, errors } = await open(DESK);
    await page.getByRole('heading', { level: 1, name: '2 open alerts, 1 silenced' }).waitFor();
    const alerts = region(page, 'Open alerts');
    const silenced = alerts.getByRole('row', { name: /beta/ });
    expect(await silenced.innerText()).toMatch(/critical[^]*DA submissions fail[^]*by Ada until 21 Nov 2026/);
    expect(await region(page, 'Ended alerts').innerText()).toMatch(/alpha \(lab-1\)[^]*4 min[^]*resolved/);
    const rule = region(page, 'Rules').getByRole('row', { name: /da-failing/ });
    expect(await rule.innerText()).toMatch(/firing, 2 alerts[^]*DA submissions fail, for 1 min[^]*critical/);
    expect(await region(page, 'Rules').innerText()).toContain('not firing');
    expect(await page.getByRole('link', { name: 'Alerts' }).getAttribute('aria-current')).toBe('page');
    const incident = alerts.getByRole('row', { name: /alpha/ }).getByRole('link');
    expect(await incident.getAttribute('href')).toMatch(/^\/incident\//);
    expect(await rule.getByRole('link').getAttribute('href')).toBe('/runbooks/da-failing');
    expect(await findFlaws(page)).toEqual([]);
    expect(errors).toEqual([]);
    await keepPicture(page, 'alerts');
    await page.close();
  });

  it('shows what each destination accepted and refused, with the error', async () => {
    const { page } = await open(DESK);
    expect(await region(page, 'Destination ops').innerText()).toMatch(/delivered[^]*raised da-failing-1/);
    const refused = await region(page, 'Destination chat').innerText();
    expect(refused).toMatch(/refused[^]*it answered 401[^]*1 of 1[^]*every 1 h/);
    expect(await page.locator('main').innerText()).not.toContain('127.0.0.1');
    await page.close();
  });

  it('sends a test message by mouse, and says when it is refused', async () => {
    const { page, errors } = await open(DESK);
    const before = ops?.taken.length ?? 0;
    await page.getByRole('button', { name: 'Send test message to ops' }).click();
    await region(page, 'Destination ops').getByText('Test message accepted').waitFor();
    expect(ops?.taken.length).toBe(before + 1);
    if (chat) chat.status = 500;
    await page.getByRole('button', { name: 'Send test message to chat' }).click();
    await region(page, 'Destination chat').getByText('Not accepted: it answered 500').waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  it('lifts a silence by keyboard', async () => {
    const { page } = await open(DESK);
    const button = page.getByRole('button', { name: 'Lift the silence of nodes beta' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Nothing is silenced.').waitFor();
    await page.getByRole('heading', { level: 1, name: '2 open alerts' }).waitFor();
    expect(await api.read('{ silences { id } }')).toEqual({ silences: [] });
    await page.close();
  });

  it.each([
    ['a phone', PHONE],
    ['a wall', WALL],
  ])('fits %s, hostile words included', async (name, looking) => {
    const { page, errors } = await open(looking);
    await region(page, 'Open alerts').waitFor();
    expect(await findFlaws(page)).toEqual([]);
    expect(errors).toEqual([]);
    await keepPicture(page, `alerts-${name.slice(2)}`);
    await page.close();
  });

  it('asks for a key, and sends with it', async () => {
    const { page } = await openPage(browser, `${locked.url}/alerts`, DESK);
    await page.getByLabel('API key').fill(KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send test message to ops' }).click();
    await page.getByText('Test message accepted').waitFor();
    await page.close();
  });

  it('offers settings without a destination, which the service accepts', async () => {
    const { page, errors } = await openPage(browser, `${bare.url}/alerts`, PHONE);
    await page.getByRole('heading', { name: 'Set up alerts' }).waitFor();
    const text = await page.getByLabel('Lines of hindsight.yaml').innerText();
    expect(await findFlaws(page)).toEqual([]);
    expect(errors).toEqual([]);
    await keepPicture(page, 'alerts-none');
    const { alerts } = loadSettings({ flags: {}, env: {}, file: { name: 'hindsight.yaml', text } });
    expect(alerts).toMatchObject({ destinations: [{ id: 'ops', kind: 'webhook' }] });
    await page.close();
  });
});
