import type { Browser, Page } from 'playwright-core';
import type { NewEvent } from '../../src/domain/events.js';
import { describeHealth } from '../../src/domain/node-interface/da-claims.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { appendLog } from '../support/append-log.js';
import { findBarriers, openPage, startBrowser, type Looking } from '../support/browser.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ManualClock } from '../support/manual-clock.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { appendTo, recordLog } from '../support/record-log.js';
import { loadRecording } from '../support/recording.js';
import { SmallLog } from '../support/small-log.js';

const DESK: Looking = { width: 1_400, colours: 'light' };
const PHONE: Looking = { width: 390, colours: 'dark' };
const KEY = 'a-key-of-16-chars';
const CHARTS = 12;
/** The number of known charts: the recorded nodes report no gas price, and no price is set. */
const KNOWN = 10;
/** Length of the recording, up to a moment at which the list is full and has failures of three kinds. */
const LENGTH_MS = 147_500;

describe('the browser for node pages', () => itHasProgram('chromium'));

(hasProgram('chromium') ? describe : describe.skip)('the page of a node', () => {
  const recording = loadRecording('aggregator');
  const endMs = recording.startMs + LENGTH_MS;
  const clock = new ManualClock(endMs + 5_000);
  let database: TestDatabase;
  let api: ApiServer;
  let locked: ApiServer;
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
    database = await startTestDatabase();
    api = await startApi(database.url, { clock, defaultNode: 'aggregator' });
    locked = await startApi(database.url, { clock, keys: [KEY] });
    const log = recordLog({ nodes: ['aggregator', 'follower'], to: LENGTH_MS });
    const tell = (node: string, state: 'AVAILABLE' | 'DISABLED' | 'UNREACHABLE'): void => {
      const looks = { first: endMs, last: endMs, count: 1, longestGapMs: 0 };
      const body = { looks, state, detail: 'connection refused' };
      appendTo(log, `${node}/submissions`, [{ type: 'SubmissionSourceChanged', observedAt: endMs, body }]);
    };
    for (const node of ['empty', 'off']) {
      const body = { url: `http://${node}` };
      appendTo(log, `${node}/node`, [{ type: 'NodeRegistered', observedAt: endMs, body }]);
    }
    const small = new SmallLog();
    small.now = endMs - SmallLog.START - 1_000;
    for (const { body } of small.rows('off', [{ da: 7 }]).events) {
      const event = { type: 'SubmissionsObserved', observedAt: endMs - 1_000, body } as NewEvent;
      appendTo(log, 'off/submissions', [event]);
    }
    const [claimedAt, looks] = [endMs - 5_000, { count: 1, longestGapMs: 0 }];
    const row = {
      blob_size: 331,
      gas_price: 0,
      status_code: 'Success',
      timestamp: new Date(claimedAt).toISOString(),
    };
    const body = describeHealth([row], claimedAt, row.timestamp);
    const claim = { looks: { first: claimedAt, last: claimedAt, ...looks }, status: 'healthy', body };
    const claimed: NewEvent = { type: 'DaHealthClaimed', observedAt: claimedAt, body: claim };
    appendTo(log, 'aggregator/claims', [claimed]);
    tell('empty', 'AVAILABLE');
    tell('off', 'DISABLED');
    tell('aggregator', 'UNREACHABLE');
    await appendLog(api.dataSource, log);
    const rollUp = new RollUp(api.dataSource);
    while ((await rollUp.run(() => true)) > 0);
  }, 240_000);

  afterAll(async () => {
    await browser?.close();
    await Promise.all([api?.stop(), locked?.stop()]);
    await database?.stop();
  });

  const listOf = (page: Page) => page.getByRole('region', { name: 'Submissions of the node' });
  const factsOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const open = (path: string, looking = DESK) => openPage(browser, api.url + path, looking);

  it.each([
    ['of a desk', '/nodes/aggregator/da', DESK],
    ['of a phone', '/nodes/aggregator/da', PHONE],
    ['in the shape of the specification', '/nodes/aggregator/da?shape=spec', PHONE],
    ['at the root', '/da', DESK],
    ['of a moment', `/nodes/aggregator/da?at=${new Date(endMs - 1_000).toISOString()}`, DESK],
  ] as const)(
    'draws a full list and every chart, without errors or sideways scrolling: %s',
    async (_, path, looking) => {
      const { page, errors } = await open(path, looking);
      const feed = listOf(page);
      expect(await feed.locator('tbody tr').count()).toBe(100);
      expect(await feed.innerText()).toMatch(/^\d+ rows, as the node lists them/);
      expect(
        await feed.locator('.state.HEALTHY', { hasText: 'Success' }).locator('svg').count(),
      ).toBeGreaterThan(9);
      await feed.locator('.state.CRITICAL', { hasText: 'Incorrect Account Sequence' }).first().waitFor();
      expect(await page.locator('.charts article').count()).toBe(CHARTS);
      // A single hour or day has no course: its values are words.
      expect(await page.locator('.charts .legend').count()).toBe(KNOWN);
      const unknown = page.locator('.charts article', { hasText: 'No data for this time' });
      expect(await unknown.locator('h2').allInnerTexts()).toEqual([
        'Average gas price, utia by hour',
        'Average gas price, utia by day',
      ]);
      expect(await factsOf(page, 'Performance').innerText()).toMatch(/Success rate\s+\d+(?:\.\d)?%/);
      expect(await factsOf(page, 'Volume').innerText()).toMatch(/Blobs\s+[\d,]+/);
      expect(await page.locator('.charts h2').allInnerTexts()).toEqual(
        expect.arrayContaining([
          'Submissions by hour',
          'Success rate by day',
          'Average gas price, utia by hour',
        ]),
      );
      const overhang = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(overhang).toBe(0);
      expect(errors).toEqual([]);
      await page.close();
    },
  );

  it.each<[string, string, RegExp]>([
    ['cannot be reached', 'aggregator', /Not proven/],
    ['has no submission yet', 'empty', /No submission yet/],
    ['is a follower', 'follower', /not an aggregator/],
    ['has DA monitoring switched off', 'off', /DA monitoring is off at this node/],
  ])('says that a node %s, by words and not by colour alone', async (_, node, words) => {
    const { page } = await open(`/nodes/${node}/da`);
    const text = await page.locator('body').innerText();
    expect(text).toMatch(words);
    expect(await page.locator('#health').innerText()).toMatch(/^(healthy|warning|critical|unknown)/);
    expect(await page.locator('#health .state svg').count()).toBe(1);
    expect(text).not.toMatch(/undefined|NaN|null|\[object/);
    await page.close();
  });

  it('says whether the node reported the figures itself, and how far they reach', async () => {
    const textOf = async (query: string): Promise<string[]> => {
      const { page } = await open(`/nodes/aggregator/da${query}`);
      const places = [
        page.locator('#claim'),
        page.locator('h2', { hasText: 'Performance, cost and volume' }),
      ];
      const texts = await Promise.all(places.map((place) => place.innerText()));
      await page.close();
      return texts;
    };
    const [now, figures] = await textOf('');
    expect(now).toMatch(/^Computed by the rules of the node: \w+\.$/);
    expect(figures).toMatch(/of the whole record$/);
    const [claim, until] = await textOf(`?at=${new Date(endMs - 1_000).toISOString()}`);
    expect(claim).toMatch(/^Last reported by the node: \w+\.$/);
    expect(until).toMatch(/ of the record up to \d+ \w+ \d+, \d\d:(00|15|30|45):00 UTC$/);
    const [critical] = await textOf('?shape=spec');
    expect(critical).toBe("Node not reachable; in the specification's words: critical.");
  });

  it('links every blob of a row, and marks rows of headers', async () => {
    const { page } = await open('/nodes/aggregator/da');
    const feed = listOf(page);
    const columns = await feed.locator('th').allInnerTexts();
    const kinds = await feed.locator(`td:nth-child(${columns.indexOf('Kind') + 1})`).allInnerTexts();
    expect(new Set(kinds)).toEqual(new Set(['header', 'data']));
    const row = feed.locator('tr', { has: page.locator('details') }).first();
    const [, count] = /^(\d+) ·/.exec(
      await row.locator(`td:nth-child(${columns.indexOf('Blobs') + 1})`).innerText(),
    )!;
    await row.getByText(/\d more/).press('Enter');
    await row
      .locator('a.blob')
      .nth(Number(count) - 1)
      .waitFor();
    const links = await row.locator('a.blob').all();
    const hrefs = await Promise.all(links.map((link) => link.getAttribute('href')));
    const ids = hrefs.map((href) => new URL(href ?? '', api.url).searchParams.get('id'));
    expect(new Set(ids).size).toBe(Number(count));
    await page.close();
  });

  it('explains why a node that submits nothing has no charts, instead of drawing empty ones', async () => {
    const { page } = await open('/nodes/follower/da');
    await page.locator('h2', { hasText: 'not an aggregator' }).waitFor();
    expect(await page.locator('.chart').filter({ visible: true }).count()).toBe(0);
    expect(await page.locator('main').innerText()).not.toMatch(/No data|Nothing is known|nobody watched/);
    await page.close();
  });

  it('explains why the fees of a node differ from those of its chain', async () => {
    const { page } = await open('/nodes/aggregator/da');
    expect(await factsOf(page, 'Cost').innerText()).toMatch(/report by chain/);
    await page.close();
  });

  it('shows the statistics on record while DA monitoring is off, and says so', async () => {
    const { page } = await open('/nodes/off/da');
    expect(await page.locator('#health').innerText()).toMatch(/DA monitoring is off .* earlier records/);
    expect(await factsOf(page, 'Volume').innerText()).toMatch(/Submissions\s+1\s/);
    expect(await factsOf(page, 'Performance').innerText()).toMatch(/Average submission time.*\s+unknown/);
    await page.close();
  });

  it.each([
    ['a full one on a desk', 'aggregator', DESK],
    ['a full one on a phone', 'aggregator', PHONE],
    ['of a node with DA monitoring off', 'off', DESK],
  ] as const)(
    'has no barrier for people with low vision or without a mouse: %s',
    async (_, node, looking) => {
      const { page } = await open(`/nodes/${node}/da`, looking);
      expect(await findBarriers(page)).toEqual([]);
      await page.close();
    },
  );

  it('says that there is no such node', async () => {
    const { page } = await open('/nodes/nobody/da');
    expect(await page.locator('#health').innerText()).toMatch(/There is no node "nobody"/);
    expect(await page.locator('main :is(table, .chart, dl, .notice)').count()).toBe(0);
    await page.close();
  });

  it('shows a chosen moment, in the zone of the page, and the way back', async () => {
    const { page } = await open('/nodes/aggregator/da?zone=Asia/Kathmandu');
    await page.getByRole('button', { name: /^Time: / }).press('Enter');
    const second = Math.floor((endMs - 30_000) / 1000) * 1000;
    const field = page.getByLabel('As of', { exact: true });
    // Kathmandu is 5:45 ahead of UTC.
    await field.fill(new Date(second + 345 * 60_000).toISOString().slice(0, 19));
    await field.blur();
    await page.waitForURL((url) => url.searchParams.get('at') === new Date(second).toISOString());
    await page.getByText(/^Not now: as of .* (?:NPT|GMT\+5:45)$/).waitFor();
    await page.getByRole('button', { name: 'Back to now' }).press('Enter');
    await page.getByRole('button', { name: 'Time: Now' }).waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBeNull();
    await page.close();
  });

  it("has the dashboard's bars, zone and footer, and links to everything known about the node", async () => {
    const { page } = await open('/nodes/aggregator/da?zone=Europe/Berlin');
    await page.locator('.bar-line').locator('.HEALTHY, .WARNING, .CRITICAL').first().waitFor();
    await page
      .locator('footer')
      .getByText(/Behind the log: .*Disk: log/s)
      .waitFor();
    expect(await listOf(page).locator('td[data-name="Time"]').first().innerText()).toMatch(/ CES?T$/);
    await page.getByRole('link', { name: 'Everything recorded about this node' }).click();
    await page.locator('h1', { hasText: 'Node aggregator' }).waitFor();
    await page.close();
  });

  it('shows details of a blob, by keyboard', async () => {
    const { page } = await open('/nodes/aggregator/da');
    const link = page.locator('a.blob').first();
    const id = new URL((await link.getAttribute('href')) ?? '', api.url).searchParams.get('id');
    await link.press('Enter');
    await page.locator('#blob-text', { hasText: String(id) }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('dialog').isVisible()).toBe(false);
    await page.close();
  });

  it('asks for a key when one is needed, and draws with it', async () => {
    const { page } = await openPage(browser, `${locked.url}/nodes/aggregator/da`, DESK);
    await page.getByLabel('API key').fill(KEY);
    await page.getByLabel('API key').press('Enter');
    await page.locator('.charts .legend').first().waitFor();
    await listOf(page).locator('tbody tr').nth(99).waitFor();
    expect(await page.getByLabel('API key').isVisible()).toBe(false);
    await page.close();
  });
});
