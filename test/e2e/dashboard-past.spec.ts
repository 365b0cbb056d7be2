import type { Browser } from 'playwright-core';
import type { NewEvent, RecordedEvent } from '../../src/domain/events.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { appendLog } from '../support/append-log.js';
import { openPage, startBrowser } from '../support/browser.js';
import { DESK, findFlaws, keepPicture, PHONE } from '../support/dashboard-world.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ManualClock } from '../support/manual-clock.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { projectAll } from '../support/read-models.js';
import { appendTo } from '../support/record-log.js';
import { SmallLog } from '../support/small-log.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const { START } = SmallLog;
/** The present is 10:15. */
const NOW = START + 10.25 * HOUR;
const at = (ms: number): string => new Date(ms).toISOString();

/** Events of nodes whose past differs from their present. Times are in ms since the log began. */
class PastLog {
  private readonly small = new SmallLog();

  get events(): RecordedEvent[] {
    return this.small.events;
  }

  at(now: number): this {
    this.small.now = now;
    return this;
  }

  do(act: (small: SmallLog) => unknown): this {
    act(this.small);
    return this;
  }

  add(stream: string, type: NewEvent['type'], body: object): this {
    const event = { type, observedAt: START + this.small.now, body } as NewEvent;
    appendTo(this.small.events, stream, [event]);
    return this;
  }

  /** Probes every half minute. */
  probe(node: string, from: number, to: number, outcome: 'OK' | 'REFUSED'): this {
    for (const probe of ['reachable', 'live', 'ready'] as const) {
      this.at(from);
      const looks = { first: START + from, last: START + from, count: 1, longestGapMs: 0 };
      const detail = outcome === 'OK' ? '' : 'connection refused';
      const statusCode = outcome === 'OK' ? 200 : null;
      if (probe === 'reachable' || outcome === 'OK')
        this.add(`${node}/probes`, 'ProbeChanged', {
          looks,
          probe,
          outcome,
          statusCode,
          detail,
          latencyMs: 1,
        });
    }
    for (let end = from + MINUTE; end <= to; end += MINUTE) {
      const looks = {
        first: START + end - MINUTE + 2_000,
        last: START + end,
        count: 30,
        longestGapMs: 2_000,
      };
      this.at(end).add(`${node}/node`, 'NodeWatched', { looks: { probes: looks, submissions: looks } });
    }
    return this;
  }

  role(node: string, chain: string, aggregator: boolean): this {
    const body = {
      chain,
      servicePrefix: null,
      shape: null,
      aggregator,
      headerNamespace: null,
      dataNamespace: null,
    };
    return this.add(`${node}/node`, 'NodeDescribed', body);
  }
}

function recordPasts(): RecordedEvent[] {
  const log = new PastLog();
  // This node led for a day, forty days ago, and has followed since.
  log
    .at(-40 * DAY)
    .do((small) => small.register('former', 'old-1'))
    .role('former', 'old-1', true);
  for (const hour of [0, 6, 12, 18])
    log.at(-40 * DAY + hour * HOUR).do((small) =>
      small.rows('former', [
        { da: 100 + hour, bytes: 500 },
        { status: 'Error', bytes: 500 },
      ]),
    );
  log
    .at(-39 * DAY)
    .do((small) => small.list('former', 'NOT_AGGREGATOR'))
    .role('former', 'old-1', false);
  log.probe('former', 9 * HOUR, 10.25 * HOUR, 'OK');
  // This node has never answered.
  log.at(9 * HOUR).do((small) => small.register('silent', 'mute-1').list('silent', 'UNREACHABLE'));
  log.probe('silent', 9 * HOUR, 10.25 * HOUR, 'REFUSED');
  // This node was up for six of the last ten minutes, and its blobs reached the DA layer.
  log.at(10 * HOUR + 5 * MINUTE).do((small) => small.register('dead', 'gone-1').describe('dead', 'gone-1'));
  log.do((small) => small.rows('dead', [{ da: 7 }, { da: 8, kind: 'data', bytes: 700 }]));
  log.probe('dead', 10 * HOUR + 5 * MINUTE, 10 * HOUR + 11 * MINUTE, 'OK');
  log.at(10 * HOUR + 11 * MINUTE + 2_000).do((small) => small.list('dead', 'UNREACHABLE'));
  log.probe('dead', 10 * HOUR + 11 * MINUTE + 2_000, 10.25 * HOUR, 'REFUSED');
  // This node's list was read at the last recorded poll.
  log.at(10 * HOUR + 5 * MINUTE).do((small) => small.register('well', 'well-1').describe('well', 'well-1'));
  log.do((small) => small.rows('well', [{ da: 7 }]));
  log.at(10 * HOUR + 14.5 * MINUTE).do((small) => small.watch('well'));
  // This node's attempts failed right before it died.
  log
    .at(10 * HOUR + 5 * MINUTE)
    .do((small) => small.register('broke', 'broke-1').describe('broke', 'broke-1'));
  log.do((small) => small.rows('broke', [{ da: 7 }]));
  log.probe('broke', 10 * HOUR + 5 * MINUTE, 10 * HOUR + 11 * MINUTE, 'OK');
  log.do((small) => small.rows('broke', [{ status: 'Error' }, { status: 'Error' }]));
  log.probe('broke', 10 * HOUR + 11 * MINUTE + 2_000, 10.25 * HOUR, 'REFUSED');
  return log.events;
}

describe('the browser for the past of nodes', () => itHasProgram('chromium'));

(hasProgram('chromium') ? describe : describe.skip)(
  'pages of nodes whose past differs from their present',
  () => {
    let database: TestDatabase;
    let api: ApiServer;
    let browser: Browser;

    beforeAll(async () => {
      database = await startTestDatabase();
      api = await startApi(database.url, { clock: new ManualClock(NOW) });
      browser = await startBrowser();
      await appendLog(api.dataSource, recordPasts());
      await projectAll(api.dataSource);
      const rollUp = new RollUp(api.dataSource);
      while ((await rollUp.run(() => true)) > 0);
    }, 240_000);

    afterAll(async () => {
      await browser?.close();
      await api?.stop();
      await database?.stop();
    });

    it.each([
      ['light', DESK],
      ['dark', PHONE],
    ] as const)("draw a follower's submissions from the time it led: %s", async (name, looking) => {
      const range = `from=${at(START - 41 * DAY)}&to=${at(START - 38 * DAY)}`;
      const { page, errors } = await openPage(browser, `${api.url}/node/former?${range}`, looking);
      await page.getByText('Success rate: ').waitFor();
      await page.getByRole('region', { name: 'Submissions' }).locator('tbody tr').nth(7).waitFor();
      const card = page.getByRole('region', { name: 'former' });
      expect(await card.innerText()).toMatch(/follower[^]*Last success\s+\d+ d ago/);
      expect(await card.locator('time').first().getAttribute('title')).toMatch(/^12 Oct 2026/);
      await page.getByText('Times in which attempts may have been missed').waitFor();
      expect(await findFlaws(page)).toEqual([]);
      expect(errors).toEqual([]);
      await keepPicture(page, `former leader ${name}`);
      await page.close();
    });

    it('say that a follower submitted nothing in a range without rows', async () => {
      const { page } = await openPage(browser, `${api.url}/node/former?last=1d`, DESK);
      await page.getByText('No submission is recorded in this time.').waitFor();
      expect(await page.locator('.chart').count()).toBe(0);
      // The table still shows rows of other times.
      await page.getByRole('region', { name: 'Submissions' }).locator('tbody tr').nth(7).waitFor();
      await page.close();
    });

    it.each([
      [
        'of a node that never answered',
        'silent',
        [-7 * DAY, 0],
        'Not monitored yet: no poll was ever answered.',
      ],
      [
        'a week before the first poll',
        'dead',
        [-7 * DAY, -6 * DAY],
        'Not monitored in this time. dead had not answered a poll by then.',
      ],
    ] as const)('do not call unmonitored time covered: %s', async (_, node, [from, to], why) => {
      const range = `from=${at(START + from)}&to=${at(START + to)}`;
      const { page } = await openPage(browser, `${api.url}/node/${node}?${range}`, PHONE);
      const gaps = page.getByRole('region', { name: /^Times in which attempts may have been missed/ });
      await gaps.getByText(why).waitFor();
      expect(await gaps.locator('tbody tr').count()).toBe(0);
      expect(await page.locator('main').innerText()).not.toContain('all of this time is covered');
      await keepPicture(page, `not covered ${node}`);
      await page.close();
    });

    it('show the last poll of an ongoing covered time', async () => {
      const { page } = await openPage(browser, `${api.url}/node/well?from=${at(START + 10.1 * HOUR)}`, DESK);
      await page.getByText('No gaps up to the last poll on record, 21 Nov 2026, 10:14:30 UTC.').waitFor();
      await page.close();
      const reportOf = (node: string, hour: number): Promise<unknown> =>
        api.read(
          `{ intervalReport(node: "${node}", from: "${at(START + hour * HOUR)}", to: "${at(NOW)}") { lostMax } }`,
        );
      expect(await reportOf('well', 10.1)).toEqual({ intervalReport: { lostMax: '0' } });
      for (const [node, hour] of [
        ['well', 10],
        ['dead', 10.1],
      ] as const)
        expect(await reportOf(node, hour)).toEqual({ intervalReport: { lostMax: null } });
    });

    it('report a list that cannot be read up to the present', async () => {
      const { page } = await openPage(browser, `${api.url}/node/dead?last=1h`, DESK);
      const gaps = page.getByRole('region', { name: /^Times in which attempts may have been missed/ });
      await gaps.getByText('The list of dead has been out of sight since').waitFor();
      expect(await gaps.locator('tbody tr').count()).toBe(1);
      await gaps.getByText('Not monitored before 21 Nov 2026, 10:05:00 UTC.').waitFor();
      await page.close();
    });

    it.each([
      ['light', DESK],
      ['dark', PHONE],
    ] as const)('count the time in which a node is unreachable as down: %s', async (name, looking) => {
      const { page, errors } = await openPage(browser, api.url, looking);
      const bar = (node: string, of: string) =>
        page.locator('tr', { hasText: node }).locator('.bar-row', { hasText: of });
      await bar('dead', 'Node, 24 h').getByText('%').waitFor();
      const told = await bar('dead', 'Node, 24 h').locator('b').innerText();
      expect(Number.parseFloat(told)).toBeGreaterThan(50);
      expect(Number.parseFloat(told)).toBeLessThan(70);
      expect(await bar('dead', 'Node, 24 h').locator('b').getAttribute('class')).toBe('CRITICAL');
      // Its DA layer is known only for the time in which it answered.
      expect(await bar('dead', 'DA, 24 h').locator('b').innerText()).toBe('100%');
      expect(await bar('silent', 'Node, 24 h').locator('b').innerText()).toBe('0%');
      // A follower has a node bar, but no DA bar: it submits nothing.
      expect(await bar('former', 'Node, 24 h').locator('b').innerText()).toBe('100%');
      expect(await bar('silent', 'DA,').count()).toBe(0);
      const green = page.locator('.bar-row b.HEALTHY');
      for (const figure of await green.allInnerTexts())
        expect(Number.parseFloat(figure)).toBeGreaterThanOrEqual(95);
      expect(await findFlaws(page)).toEqual([]);
      expect(errors).toEqual([]);
      await keepPicture(page, `bars ${name}`);
      await page.close();
    });

    it('list only failures during the incident, and show the states before it', async () => {
      const { incidents } = await api.read<{ incidents: { nodes: { id: string; component: string }[] } }>(
        '{ incidents(filter: {nodes: ["broke"]}) { nodes { id component } } }',
      );
      const id = incidents.nodes.find(({ component }) => component === 'NODE')?.id ?? '';
      const { page } = await openPage(browser, `${api.url}/incident/${encodeURIComponent(id)}`, DESK);
      const happened = await page.getByRole('region', { name: 'What happened' }).innerText();
      expect(happened).toContain('No failed attempt recorded.');
      expect(happened).toMatch(/healthy\s+for [^·]* · before its first sign/);
      await keepPicture(page, 'failures of an incident');
      await page.close();
    });

    it('open on the whole time of a young record', async () => {
      const { page } = await openPage(browser, `${api.url}/node/dead`, DESK);
      await page.getByRole('heading', { name: 'Success rate' }).waitFor();
      // The range starts an hour before the present; the address still names no range.
      await page.getByRole('heading', { name: 'From 21 Nov, 09:15 to 21 Nov, 10:15' }).waitFor();
      expect(new URL(page.url()).search).toBe('');
      await page.getByRole('button', { name: /^Time: / }).click();
      await page.getByRole('button', { name: '7 days', exact: true }).click();
      await page.getByRole('heading', { name: /^From 14 Nov, 10:15 to/ }).waitFor();
      await keepPicture(page, 'young record');
      await page.close();
    });
  },
);
