import type { Browser, Page } from 'playwright-core';
import type { NewEvent, RecordedEvent } from '../../src/domain/events.js';
import { appendLog } from '../support/append-log.js';
import { openPage, startBrowser } from '../support/browser.js';
import { DESK, findFlaws, HOSTILE, keepPicture, PHONE } from '../support/dashboard-world.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { projectAll } from '../support/read-models.js';
import { appendTo } from '../support/record-log.js';
import { recordFaults, type RiggedRecord, type ToldIncident } from '../support/rig/rigged-record.js';
import { SmallLog } from '../support/small-log.js';

const AT_MS = 60_000;
const LENGTH_MS = 140_000;
const MINUTE_MS = 60_000;
/** Incidents of the node `shaky`: more than a page of the list has. */
const MANY = 53;
/** Rows of a page of the list. */
const PAGE = 50;

interface ToldImpact {
  readonly attempts: string;
  readonly failures: string;
  readonly blocks: { readonly produced: string };
  readonly waits: Readonly<Record<'delayed' | 'stillWaiting' | 'mostWaiting', string>>;
}

/** A node that does not answer for a minute out of ten, each time with a hostile reason. */
function recordShakyNode(): RecordedEvent[] {
  const small = new SmallLog();
  small.now = -10 * MANY * MINUTE_MS;
  small.register('shaky', 'shaky-1').describe('shaky', 'shaky-1');
  for (let minute = 0; minute <= 10 * MANY; minute += 1) {
    const observedAt = SmallLog.START + (minute - 10 * MANY) * MINUTE_MS;
    const add = (stream: string, type: NewEvent['type'], body: object): void =>
      appendTo(small.events, stream, [{ type, observedAt, body } as NewEvent]);
    // Polls of the minute before come first.
    const probes = {
      first: observedAt - MINUTE_MS + 2_000,
      last: observedAt,
      count: 30,
      longestGapMs: 2_000,
    };
    if (minute > 0) add('shaky/node', 'NodeWatched', { looks: { probes } });
    const isDown = minute % 10 === 5;
    if (minute === 0 || isDown || minute % 10 === 6) {
      const looks = { first: observedAt, last: observedAt, count: 1, longestGapMs: 0 };
      const outcome = isDown ? 'REFUSED' : 'OK';
      for (const probe of isDown ? ['reachable'] : ['reachable', 'live', 'ready'])
        add('shaky/probes', 'ProbeChanged', {
          looks,
          probe,
          outcome,
          statusCode: isDown ? null : 200,
          detail: isDown ? HOSTILE.slice(0, 500) : '',
          latencyMs: 1,
        });
    }
  }
  return small.events;
}

describe('the browser for incidents', () => itHasProgram('chromium'));

(hasProgram('chromium') ? describe : describe.skip)('the pages of incidents', () => {
  let record: RiggedRecord;
  let browser: Browser;
  let incident: ToldIncident;

  beforeAll(async () => {
    const scenario = { steps: [{ fault: 'frozen', atMs: AT_MS, forMs: LENGTH_MS }] } as const;
    const first = { id: 'alpha', scenario };
    record = await recordFaults(
      [first, { id: 'beta', scenario, sameAs: 'alpha', options: { chainId: 'alpha-1' } }],
      LENGTH_MS,
    );
    await appendLog(record.dataSource, recordShakyNode());
    await projectAll(record.dataSource);
    const [told] = await record.getIncidents('beta');
    if (!told) throw new Error('there is no incident');
    incident = told;
    browser = await startBrowser();
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    await record?.stop();
  });

  const idsOf = async (filter: string, first = 1_000): Promise<string[]> => {
    const { incidents } = await record.api.read<{ incidents: { nodes: { id: string }[] } }>(
      `{ incidents(filter: {${filter}}, first: ${first}) { nodes { id } } }`,
    );
    return incidents.nodes.map(({ id }) => id);
  };
  const shownIds = async (page: Page): Promise<string[]> => {
    const links = await page.locator('tbody a[href^="/incident/"]').all();
    const hrefs = await Promise.all(links.map((link) => link.getAttribute('href')));
    return hrefs.map((href) => decodeURIComponent(href?.replace(/^\/incident\/|\?.*/g, '') ?? ''));
  };
  const pathOf = (id: string): string => `${record.api.url}/incident/${encodeURIComponent(id)}`;

  it.each([
    ['on a desk', DESK],
    ['on a phone', PHONE],
  ] as const)(
    'report an incident of several nodes and its chain as GraphQL does: %s',
    async (name, looking) => {
      const { api } = record;
      const { page, errors } = await openPage(browser, pathOf(incident.id), looking);
      await page
        .locator('h1', { hasText: /^Finality frozen: (alpha|beta) and 1 more \(alpha-1\)$/ })
        .waitFor();
      await page.getByText('Ongoing', { exact: true }).waitFor();
      expect(await page.locator('.incident-when').innerText()).toMatch(
        /Ongoing\s+[\d.]+ \w+[^]*since \d+ Nov 2026/,
      );
      const todo = page.getByRole('region', { name: 'What to do' });
      expect(await todo.innerText()).toContain(incident.remedy);
      expect(await todo.locator('code').innerText()).toBe(incident.command);
      expect(await todo.getByRole('link', { name: 'Runbook' }).getAttribute('href')).toBe(incident.runbook);
      const nodes = page.getByRole('region', { name: 'Nodes' }).locator('tbody tr');
      expect((await nodes.getByRole('link').allInnerTexts()).toSorted()).toEqual(['alpha', 'beta']);
      const happened = page.getByRole('region', { name: 'What happened' });
      for (const id of ['alpha', 'beta'])
        await happened.locator('li', { hasText: id }).filter({ hasText: 'critical' }).first().waitFor();
      const { incident: asked } = await api.read<{ incident: { impact: ToldImpact } }>(
        `{ incident(id: "${incident.id}") { impact { attempts failures blocks { produced } waits { delayed stillWaiting mostWaiting } } } }`,
      );
      const { attempts, failures, blocks, waits } = asked.impact;
      const facts = await page.locator('main dl').allInnerTexts();
      for (const [title, value] of [
        ['Failed attempts', `${failures} of ${attempts}`],
        ['Blocks delayed', waits.delayed],
        ['Blocks still waiting', waits.stillWaiting],
        ['Attempts', attempts],
        ['Produced', blocks.produced],
        ['Peak backlog, at least', waits.mostWaiting],
      ] as const)
        expect(facts.join('\n')).toMatch(new RegExp(`^(?:${title}\\s+${value}|${value}\\s+${title})$`, 'm'));
      expect(await findFlaws(page)).toEqual([]);
      expect(errors).toEqual([]);
      await keepPicture(page, `incident of two nodes ${name}`);
      await page.close();
    },
  );

  it('say who acknowledged an incident, at once and in its timeline', async () => {
    const { page, errors } = await openPage(browser, pathOf(incident.id), DESK);
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Note').fill('looking at the endpoint');
    await page.keyboard.press('Enter');
    const todo = page.getByRole('region', { name: 'What to do' });
    await todo.getByText('Acknowledged by Ada').waitFor();
    expect(await todo.innerText()).toContain('looking at the endpoint');
    await page.getByRole('listitem').filter({ hasText: 'Acknowledged by Ada' }).waitFor();
    await page.getByRole('button', { name: 'Acknowledge again' }).waitFor();
    const { incident: told } = (await record.api.read(
      `{ incident(id: "${incident.id}") { acknowledgedBy } }`,
    )) as { incident: { acknowledgedBy: string } };
    expect(told.acknowledgedBy).toBe('Ada');
    expect(errors).toEqual([]);
    await page.close();
  });

  it('take notes, which are plain text in their timeline', async () => {
    const { page, errors } = await openPage(browser, pathOf(incident.id), DESK);
    await page.getByRole('button', { name: 'Add a note' }).click();
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Note', { exact: true }).fill('funded <b>now</b>');
    await page.keyboard.press('Enter');
    const entry = page.getByRole('listitem').filter({ hasText: 'Note by Ada' });
    await entry.getByText('funded <b>now</b>').waitFor();
    expect(await findFlaws(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('offer the command for evidence, and the post-mortem as Markdown', async () => {
    const { page } = await openPage(browser, pathOf(incident.id), DESK);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const proof = page.getByRole('region', { name: 'Post-mortem and evidence' });
    const copy = async (name: string): Promise<string> => {
      await proof.getByRole('button', { name }).click();
      await proof.getByText('Copied').first().waitFor();
      return String(await page.evaluate('navigator.clipboard.readText()'));
    };
    expect(await copy('Copy the command for evidence')).toBe(
      `hindsight evidence --incident ${incident.id} --out evidence`,
    );
    await page.reload();
    expect(await copy('Copy the post-mortem as Markdown')).toMatch(/^# [^]*## Impact/);
    await page.close();
  });

  it.each([
    ['on a desk', DESK],
    ['on a phone', PHONE],
  ] as const)('list incidents with hostile reasons, open ones marked: %s', async (name, looking) => {
    const { page, errors } = await openPage(browser, `${record.api.url}/incidents`, looking);
    expect(await shownIds(page)).toEqual(await idsOf('', PAGE));
    const open = page.locator('tbody tr', { hasText: /ongoing|recovering/ });
    expect(await open.count()).toBe((await idsOf('open: true')).length);
    await open.filter({ hasText: 'Finality frozen' }).getByText('ongoing').waitFor();
    // The record of this node ends before five minutes of calm.
    await open.filter({ hasText: 'shaky' }).getByText('recovering').waitFor();
    expect(await findFlaws(page)).toEqual([]);
    expect(errors).toEqual([]);
    await keepPicture(page, `incidents ${name}`);
    await page
      .getByRole('link', { name: /^Node unreachable: shaky/ })
      .nth(1)
      .click();
    await page.locator('h1', { hasText: 'Node unreachable: shaky (shaky-1)' }).waitFor();
    await page.getByText(/^Resolved after /).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'after its end' }).waitFor();
    expect(await findFlaws(page)).toEqual([]);
    expect(errors).toEqual([]);
    await keepPicture(page, `closed incident ${name}`);
    await page.close();
  });

  it('filter the list by the address, and page through it', async () => {
    const { page } = await openPage(browser, `${record.api.url}/incidents`, DESK);
    const all = await idsOf('nodes: ["shaky"]');
    expect(all.length).toBe(MANY);
    await page.getByLabel('Node').selectOption('shaky');
    await page.waitForURL(/node=shaky/);
    await page.locator(`tbody tr:first-child:has-text('shaky') ~ tr:nth-child(${PAGE})`).waitFor();
    expect(await shownIds(page)).toEqual(all.slice(0, PAGE));
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('button', { name: 'Newest' }).waitFor();
    await page.locator(`tbody tr:nth-child(${MANY - PAGE}):last-child`).waitFor();
    expect(await shownIds(page)).toEqual(all.slice(PAGE));
    await page.getByRole('button', { name: 'Newest' }).click();
    await page.locator(`tbody tr:nth-child(${PAGE})`).waitFor();
    await page.getByLabel('State').selectOption('open');
    await page.locator('tbody tr:only-child', { hasText: 'recovering' }).waitFor();
    await page.getByLabel('Severity').selectOption('warning');
    await page.getByText('No incident matches.').waitFor();
    expect(await findFlaws(page)).toEqual([]);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.locator('tbody tr', { hasText: 'alpha-1' }).first().waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.goBack();
    await page.getByText('No incident matches.').waitFor();
    await page.close();
  });

  it.each([
    ['chain=alpha-1', 'chains: ["alpha-1"]'],
    ['severity=WARNING', 'severities: [WARNING]'],
    ['open=false&severity=CRITICAL', 'open: false, severities: [CRITICAL]'],
    [
      'from=2026-11-20T22:00:00Z&to=2026-11-20T23:00:00Z',
      'from: "2026-11-20T22:00:00Z", to: "2026-11-20T23:00:00Z"',
    ],
  ])('show what the address names, as a file and as a query as well: %s', async (search, filter) => {
    const { api } = record;
    const { page } = await openPage(browser, `${api.url}/incidents?${search}`, DESK);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const expected = await idsOf(filter);
    expect(await shownIds(page)).toEqual(expected.slice(0, PAGE));
    if (expected.length === 0) return page.close();
    const href = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
    const file = await (await fetch(api.url + String(href))).text();
    const rows = file.trim().split('\n').slice(1);
    expect(rows.map((row) => row.split(',')[0] ?? '').toSorted()).toEqual(expected.toSorted());
    await page.getByRole('button', { name: 'Copy as GraphQL' }).click();
    await page.getByText('Copied').waitFor();
    const query = String(await page.evaluate('navigator.clipboard.readText()'));
    const { incidents } = await api.read<{ incidents: { nodes: { id: string }[] } }>(query);
    expect(incidents.nodes.map(({ id }) => id)).toEqual(expected.slice(0, PAGE));
    return page.close();
  });

  it('offer all times where a range has no incident', async () => {
    const { page } = await openPage(
      browser,
      `${record.api.url}/incidents?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`,
      PHONE,
    );
    await page.getByText('No incident matches in this time.').waitFor();
    expect(await findFlaws(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show all times' }).click();
    await page.locator(`tbody tr:nth-child(${PAGE})`).waitFor();
    await page.close();
  });
});
