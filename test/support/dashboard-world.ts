import type { Browser, Page } from 'playwright-core';
import type { RecordedEvent } from '../../src/domain/events.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startApi, type ApiServer } from './api-server.js';
import { appendLog } from './append-log.js';
import { findBarriers, startBrowser, type Looking } from './browser.js';
import { startTestDatabase } from './database.js';
import { ManualClock } from './manual-clock.js';
import { appendTo, recordLog } from './record-log.js';
import { loadRecording } from './recording.js';
import { projectAll } from './read-models.js';
import { SmallLog } from './small-log.js';

/** Views of the dashboard: at a desk, on a phone at 3 a.m., and on a wall by day. */
export const DESK: Looking = { width: 1_440, colours: 'light' };
export const PHONE: Looking = { width: 360, colours: 'dark' };
export const WALL: Looking = { width: 3_840, colours: 'dark' };

/** Text with which a node could become part of a page, or reverse its lines. */
export const HOSTILE = `<img src=x onerror=alert(1)>\u202E${'x'.repeat(10_000)}`;

/** A service over the recorded chain and a hostile node, and a browser. */
export interface DashboardWorld {
  readonly api: ApiServer;
  /** The same record, protected by a key. */
  readonly locked: ApiServer;
  /** A service that has recorded nothing. */
  readonly empty: ApiServer;
  readonly browser: Browser;
  readonly clock: ManualClock;
  /** The end of the record; ms since 1970. */
  readonly endMs: number;
  stop(): Promise<void>;
}

/**
 * Starts the world.
 *
 * @param lengthMs the played length of the recording
 * @param key of the locked service
 */
export async function startDashboardWorld(lengthMs: number, key: string): Promise<DashboardWorld> {
  const endMs = loadRecording('aggregator').startMs + lengthMs;
  const clock = new ManualClock(endMs + 2_000);
  const browser = await startBrowser();
  const database = await startTestDatabase();
  const bare = await startTestDatabase();
  const budget = { rule: 'dear', amount: '0.1', unit: 'TIA', per: 'DAY', scope: {} } as const;
  const api = await startApi(database.url, { clock, budgets: [budget] });
  const locked = await startApi(database.url, { clock, keys: [key] });
  const empty = await startApi(bare.url, { clock });
  const log = recordLog({ nodes: ['aggregator', 'follower'], to: lengthMs });
  appendGoneNode(log, endMs);
  appendDownNode(log, endMs);
  appendHostileNode(log, endMs);
  await appendLog(api.dataSource, log);
  await api.read(
    'mutation { setPrices(chain: "lab-1", entries: [{gasPrice: "0.004"}], confirm: true) { id } }',
  );
  // Without this, pages say after a minute that this event is not shown yet.
  await projectAll(api.dataSource);
  const rollUp = new RollUp(api.dataSource);
  while ((await rollUp.run(() => true)) > 0);
  return {
    api,
    locked,
    empty,
    browser,
    clock,
    endMs,
    stop: async () => {
      await browser.close();
      for (const each of [api, locked, empty, database, bare]) await each.stop();
    },
  };
}

/** A node that was removed from the settings: its health is known up to that moment. */
function appendGoneNode(log: RecordedEvent[], endMs: number): void {
  const small = new SmallLog();
  small.now = endMs - SmallLog.START - 3 * 86_400_000;
  small
    .register('gone', 'gone-1')
    .describe('gone', 'gone-1')
    .rows('gone', [{ da: 7 }]);
  small.now += 60_000;
  small
    .rows('gone', [{ da: 9 }])
    .watch('gone')
    .retire('gone');
  appendSmall(log, small);
}

/** A node that lost rows of its list and then went down; one of its blocks waits. */
function appendDownNode(log: RecordedEvent[], endMs: number): void {
  const small = new SmallLog().register('down', 'down-1').describe('down', 'down-1');
  small.now = endMs - SmallLog.START - 60_000;
  const at = small.now - 30_000;
  small.blocks('down', 'down-1', [
    { height: 1, headerDa: 7, dataDa: 8, dataBytes: 500, at },
    { height: 2, at: at + 5_000 },
  ]);
  small.rows('down', [
    { da: 7, at },
    { da: 8, kind: 'data', bytes: 600, at: at + 1_000 },
    { status: 'Error', at: at + 9_000 },
  ]);
  small.lose('down', 'SubmissionWindowLost');
  small.now = endMs - SmallLog.START;
  small.list('down', 'UNREACHABLE');
  appendSmall(log, small);
  const probes = [
    ['OK', 28_000, ''],
    ['REFUSED', 20_000, 'connection refused'],
    ['TIMEOUT', 10_000, 'no answer within 2 s'],
    ['REFUSED', 0, 'connection refused'],
  ] as const;
  for (const [outcome, before, detail] of probes) {
    const at = endMs - before;
    const looks = { first: at, last: at, count: 1, longestGapMs: 0 };
    const body = { looks, probe: 'reachable', outcome, statusCode: null, detail, latencyMs: null } as const;
    appendTo(log, 'down/probes', [{ type: 'ProbeChanged', observedAt: at, body }]);
  }
}

function appendSmall(log: RecordedEvent[], small: SmallLog): void {
  for (const { stream, type, observedAt, body } of small.events)
    appendTo(log, stream, [{ type, observedAt: Number(observedAt / 1_000n), body } as never]);
}

/** A node whose rows, chain and errors are hostile texts. Its list was read once, and is unreachable now. */
function appendHostileNode(log: RecordedEvent[], endMs: number): void {
  const small = new SmallLog().register('hostile', 'hostile-1').describe('hostile', 'hostile-1');
  const failed = { height: 0, blob_size: 331, status_code: 'Error', num_blobs: 1, namespace: HOSTILE };
  const timestamp = new Date(endMs - 60_000).toISOString();
  small.now = endMs - SmallLog.START;
  small.rows('hostile', [JSON.stringify({ ...failed, timestamp, message: HOSTILE, id: HOSTILE })]);
  appendSmall(log, small);
  const looks = { first: endMs, last: endMs, count: 1, longestGapMs: 0 };
  const lost = { looks, state: 'UNREACHABLE' as const, detail: HOSTILE };
  appendTo(log, 'hostile/submissions', [{ type: 'SubmissionSourceChanged', observedAt: endMs, body: lost }]);
}

/** Serves pages without the answers to their first queries, as when the server is too slow for them. */
export async function leaveAnswersOut(page: Page): Promise<void> {
  await page.route('**/*', async (route) => {
    if (route.request().resourceType() !== 'document') return route.fallback();
    const response = await route.fetch();
    const body = (await response.text()).replaceAll(/<data [^>]*>/g, '');
    return route.fulfill({ response, body });
  });
}

/**
 * Visual flaws of a page: our pages must have none.
 *
 * @param rules of accessibility: those of looks for a page that is checked again in other colours, or at another width
 */
export async function findFlaws(page: Page, rules: 'ALL' | 'LOOKS' | 'NONE' = 'ALL'): Promise<string[]> {
  const text = await page.locator('body').innerText();
  const overhang = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  return [
    ...(rules === 'NONE' ? [] : await findBarriers(page, rules === 'LOOKS')),
    ...(overhang === 0 ? [] : [`${String(overhang)} pixels wider than the window`]),
    ...(/undefined|NaN|null|\[object/.exec(text) ?? []),
    ...((await page.locator('main img').count()) === 0 ? [] : ['an image of a hostile text']),
  ];
}

/** Writes a picture of a page into the folder that HINDSIGHT_SCREENSHOTS names; does nothing without one. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['HINDSIGHT_SCREENSHOTS'];
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
