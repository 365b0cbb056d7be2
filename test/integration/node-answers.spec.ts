import type { NewEvent } from '../../src/domain/events.js';
import { describeHealth } from '../../src/domain/node-interface/da-claims.js';
import { cutRow } from '../../src/domain/submissions/cut-row.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { appendLog } from '../support/append-log.js';
import { ManualClock } from '../support/manual-clock.js';
import { appendTo } from '../support/record-log.js';
import { insertRows } from '../support/read-model-rows.js';
import { SmallLog } from '../support/small-log.js';
import { useApi } from '../support/use-database.js';

const MINUTE = 60_000;
/** After the quarter hour in which everything happens. */
const NOW = 20 * MINUTE;
/** The node `gone` is unreachable since then. */
const GONE = 10_000;

type Json = Readonly<Record<string, unknown>>;

const momentOf = (ms: number): string => new Date(SmallLog.START + ms).toISOString();

function looksAt(ms: number) {
  const at = SmallLog.START + ms;
  return { first: at, last: at, count: 1, longestGapMs: 0 };
}

/** The answers of a node while all is well. */
function claimAt(ms: number): NewEvent {
  const row = { blob_size: 331, gas_price: 0, status_code: 'Success', timestamp: momentOf(ms) };
  const body = describeHealth([row], SmallLog.START + ms, momentOf(ms));
  return {
    type: 'DaHealthClaimed',
    observedAt: SmallLog.START + ms,
    body: { looks: looksAt(ms), status: 'healthy', body },
  };
}

function listAt(ms: number, state: 'AVAILABLE' | 'UNREACHABLE' | 'NOT_AGGREGATOR' | 'DISABLED'): NewEvent {
  const body = { looks: looksAt(ms), state, detail: 'as it is' };
  return { type: 'SubmissionSourceChanged', observedAt: SmallLog.START + ms, body };
}

function probeAt(ms: number, probe: 'reachable' | 'status' | 'live', statusCode = 200) {
  const outcome = statusCode === 200 ? 'OK' : 'FAILED';
  const found = { outcome, statusCode, detail: '', latencyMs: 1, catchingUp: false } as const;
  const body = { looks: looksAt(ms), probe, ...found } as const;
  return { type: 'ProbeChanged', observedAt: SmallLog.START + ms, body } as const;
}

function writeLog(): SmallLog {
  const log = new SmallLog()
    .register('alpha')
    .register('gone')
    .register('down')
    .register('off')
    .register('quiet')
    .register('words')
    .register('cut')
    .register('unsized')
    .register('only-live')
    .register('left')
    .register('never');
  appendTo(log.events, 'alpha/probes', [probeAt(500, 'status'), probeAt(500, 'live', 999)]);
  appendTo(log.events, 'gone/probes', [
    probeAt(500, 'reachable'),
    probeAt(500, 'live'),
    probeAt(500, 'status'),
  ]);
  appendTo(log.events, 'left/probes', [probeAt(500, 'live'), probeAt(500, 'status')]);
  log.now = 1_000;
  for (const node of ['alpha', 'gone', 'off', 'left']) {
    log.describe(node, node);
    appendTo(log.events, `${node}/submissions`, [listAt(log.now, 'AVAILABLE')]);
  }
  log.blocks('alpha', 'alpha', [
    { height: 1, headerDa: 7, at: 0 },
    { height: 2, headerDa: 8, at: 1_000 },
    { height: 3, headerDa: 9, at: 5_500 },
  ]);
  log.rows('alpha', [{ da: 7, at: 2_000 }]);
  log.now = 8_000;
  log.rows('alpha', [
    { da: 8, at: 5_000 },
    { status: 'Error', at: 6_000 },
    { da: 9, at: 7_000 },
  ]);
  for (const node of ['gone', 'off', 'left']) log.rows(node, [{ da: 20, at: 3_000 }]);
  log.blocks('alpha', 'alpha', [{ height: 4, at: 7_500 }]);
  appendTo(log.events, 'gone/claims', [claimAt(5_000)]);
  appendTo(log.events, 'left/claims', [claimAt(5_000)]);
  log.retire('left');
  writeInOtherWords(log);
  appendTo(log.events, 'cut/submissions', [listAt(log.now, 'AVAILABLE')]);
  const unsized = { status: 'success', timestamp: momentOf(3_000), height: 5, num_blobs: 2 };
  log.rows('unsized', [JSON.stringify(unsized)]);
  log.rows('cut', [cutRow(log.rowText({ da: 30, at: 3_000 }))]);
  appendTo(log.events, 'gone/submissions', [listAt(GONE, 'UNREACHABLE')]);
  appendTo(log.events, 'down/submissions', [listAt(1_000, 'AVAILABLE'), listAt(GONE, 'UNREACHABLE')]);
  appendTo(log.events, 'down/probes', [probeAt(1_000, 'reachable'), probeAt(GONE, 'reachable', 500)]);
  appendTo(log.events, 'only-live/probes', [probeAt(9_000, 'live')]);
  const refused = { ...probeAt(GONE, 'live').body, outcome: 'REFUSED', statusCode: null } as const;
  const observedAt = SmallLog.START + GONE;
  appendTo(log.events, 'down/probes', [{ type: 'ProbeChanged', observedAt, body: refused }]);
  appendTo(log.events, 'off/submissions', [listAt(GONE, 'DISABLED')]);
  appendTo(log.events, 'quiet/submissions', [listAt(GONE, 'NOT_AGGREGATOR')]);
  log.now = NOW;
  for (const node of ['alpha', 'off', 'quiet']) log.watch(node);
  // The node does not answer there, although it is polled all the time.
  const looks = { first: SmallLog.START + GONE, last: SmallLog.START + NOW, count: 600, longestGapMs: 2_000 };
  appendTo(log.events, 'down/node', [
    {
      type: 'NodeWatched',
      observedAt: SmallLog.START + NOW,
      body: { looks: { submissions: looks, probes: looks } },
    },
  ]);
  return log;
}

/** A node that writes as the specification does: four successes and a failure, which it calls critical. */
function writeInOtherWords(log: SmallLog): void {
  const rowAt = (status: string, ms: number) =>
    JSON.stringify({ status, timestamp: SmallLog.START + ms, height: 5 });
  appendTo(log.events, 'words/submissions', [listAt(log.now, 'AVAILABLE')]);
  log.rows(
    'words',
    ['success', 'success', 'success', 'success', 'failure'].map((status, index) =>
      rowAt(status, 1_000 + index),
    ),
  );
  const body = { status: 'critical', is_healthy: false };
  const claim = { looks: looksAt(5_000), status: 'critical', body };
  appendTo(log.events, 'words/claims', [
    { type: 'DaHealthClaimed', observedAt: SmallLog.START + 5_000, body: claim },
  ]);
  appendTo(log.events, 'words/submissions', [listAt(GONE, 'UNREACHABLE')]);
}

describe('answers on behalf of a node', () => {
  const clock = new ManualClock(SmallLog.START + NOW);
  const api = useApi({ clock });
  let uncounted: Json;

  beforeAll(async () => {
    await appendLog(api.dataSource, writeLog().events);
    uncounted = await read('alpha/da/stats?history=only');
    await insertRows(api.dataSource, 'price', [
      {
        chain: 'alpha',
        subject: 'GAS_PRICE',
        effective_from: '-infinity',
        value: { utia: '0.004' },
        source: 'settings',
        recorded_at: momentOf(0),
        from_position: 1,
      },
    ]);
    const rollUp = new RollUp(api.dataSource);
    while ((await rollUp.run(() => true)) > 0);
  });

  const get = (path: string): Promise<Response> => fetch(`${api.url}/nodes/${path}`);
  const read = async (path: string): Promise<Json> => (await (await get(path)).json()) as Json;
  const post = (path: string, body = '{}', query = ''): Promise<Response> =>
    fetch(`${api.url}/nodes/${path}${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });

  describe('about its statistics', () => {
    const historyAt = async (node: string, more = ''): Promise<Json> =>
      (await read(`${node}/da/stats?history=only${more}`))['history'] as Json;

    it('have the gas price exactly as in the price book, if it is the only price', async () => {
      const [day] = ((await historyAt('alpha'))['daily'] as Json[]).slice(-1);
      // A fee is in whole utia: divided by the gas, it would be another price.
      expect(Number(day?.['fee_utia_max']) / Number(day?.['gas_spent_max'])).toBeGreaterThan(0.004);
      expect(day).toMatchObject({ avg_gas_price: null, book_gas_price: '0.004' });
      const [other] = ((await historyAt('off'))['daily'] as Json[]).slice(-1);
      expect(other).toMatchObject({ book_gas_price: null });
    });

    it('have the mean time from a block to its success, and from a first attempt to one', async () => {
      const history = await historyAt('alpha');
      // 2 s, 4 s and 1.5 s; half of them take no longer than 2 s.
      expect(history).toMatchObject({ avg_submission_time_ms: 2_500, avg_retry_time_ms: 1_000 });
      expect(history['submission_time_ms']).toMatchObject({ count: 3, max: 4_000 });
      const [day] = (history['daily'] as Json[]).slice(-1);
      expect(day).toMatchObject({ submissions: 4, avg_submission_time_ms: 2_500, avg_retry_time_ms: 1_000 });
      const { history: own } = await read('alpha/da/stats');
      expect(own).toEqual(history);
    });

    it('have the mean size of the blobs whose size a row gives, and no size if no row gives one', async () => {
      expect(await historyAt('alpha')).toMatchObject({ total_blob_size: 993, avg_blob_size: 331 });
      const history = await historyAt('unsized');
      expect(history).toMatchObject({ total_blobs: 2, total_blob_size: null, avg_blob_size: null });
      const [day] = (history['daily'] as Json[]).slice(-1);
      expect(day).toMatchObject({ blobs: 2, bytes: null, avg_blob_size: null });
    });

    it('have no mean if no row gives a value', async () => {
      expect(await historyAt('off')).toMatchObject({
        total_submissions: 1,
        avg_submission_time_ms: null,
        avg_retry_time_ms: null,
      });
    });

    it('count the values that a node gives in other words, and do not report an unknown size as zero', async () => {
      expect(await read('words/da/stats')).toMatchObject({
        success_count: 4,
        error_count: 1,
        success_rate: '80.00%',
        avg_blob_size: null,
        total_blob_size: null,
        time_range: { first: momentOf(1_000).replace('.000', ''), last: momentOf(1_004) },
      });
    });

    it('are not on record before the first poll', async () => {
      for (const path of ['alpha/da/stats?history=only&', 'alpha/da/submissions?limit=5&']) {
        expect((await get(`${path}at=${momentOf(999)}`)).status).toBe(503);
        expect((await get(`${path}at=${momentOf(1_000)}`)).status).toBe(200);
      }
      expect((await get(`never/da/stats?history=only&at=${momentOf(NOW)}`)).status).toBe(503);
    });

    it.each(['alpha', 'off'])(
      'report the time before %s was monitored as unknown, not as a time in which nothing happened',
      async (node) => {
        const history = await historyAt(node, `&at=${momentOf(5 * MINUTE)}`);
        expect(history).toMatchObject({ total_submissions: null, total_blobs: null, success_rate: null });
        for (const row of [history['hourly'], history['daily']].flat() as Json[]) {
          const { time: _, coverage, counted: __, ...figures } = row;
          expect([coverage, ...new Set(Object.values(figures))]).toEqual([0, null]);
        }
      },
    );

    it('contain no rows before the first of them are counted', () => {
      const history = uncounted['history'] as Json;
      expect(history).toMatchObject({ total_submissions: null, total_blobs: null });
      const [day] = (history['daily'] as Json[]).slice(-1);
      expect(day).toMatchObject({ submissions: null, failures: null });
    });

    it('are those on record while DA monitoring is off, if they are requested alone', async () => {
      expect((await get('off/da/stats')).status).toBe(503);
      expect(await historyAt('off')).toMatchObject({ total_submissions: 1 });
    });
  });

  describe('about its health', () => {
    const SPEC = 'shape=spec';
    const healthOf = async (node: string, query = ''): Promise<[unknown, unknown]> => {
      const { status, hindsight } = await read(`${node}/da/health?${query}`);
      return [status, (hindsight as Json)['basis']];
    };

    it('also report a node as critical that was taken out of the settings', async () => {
      expect(await healthOf('left', SPEC)).toEqual(['critical', 'not reached']);
      expect(await healthOf('left', `${SPEC}&at=${momentOf(5_000)}`)).toEqual(['healthy', 'claimed']);
    });

    it('report an unreachable node as critical in the words of the specification', async () => {
      expect(await healthOf('gone', SPEC)).toEqual(['critical', 'not reached']);
      expect(await healthOf('gone', `${SPEC}&at=${momentOf(GONE)}`)).toEqual(['critical', 'not reached']);
      expect(await healthOf('gone', `${SPEC}&at=${momentOf(5_000)}`)).toEqual(['healthy', 'claimed']);
      expect(await read(`gone/da/health?${SPEC}`)).toMatchObject({
        is_healthy: false,
        connection_status: 'not reached',
        connection_healthy: false,
      });
    });

    it('use the words of the real node for what it would say by then, where silence is not healthy', async () => {
      expect(await healthOf('gone', `at=${momentOf(MINUTE)}`)).toEqual(['healthy', 'computed']);
      expect(await healthOf('gone', `at=${momentOf(6 * MINUTE)}`)).toEqual(['warning', 'computed']);
      expect(await healthOf('gone')).toEqual(['warning', 'computed']);
      expect((await get('gone/da/health')).headers.get('x-hindsight-proven')).toBe('false');
    });

    it('never report the unknown as healthy', async () => {
      expect(await healthOf('quiet', SPEC)).toEqual(['warning', 'concluded']);
      expect(await healthOf('quiet')).toEqual(['n/a', 'computed']);
      for (const query of ['', SPEC]) expect((await get(`never/da/health?${query}`)).status).toBe(503);
    });

    it('turn no claim into healthy that was not', async () => {
      expect(await healthOf('words', `at=${momentOf(MINUTE)}`)).toEqual(['critical', 'claimed']);
      expect(await healthOf('words')).toEqual(['warning', 'computed']);
    });

    it('have the time of their figures', async () => {
      const health = await read(`gone/da/health?at=${momentOf(MINUTE)}`);
      expect(Date.parse(String(health['timestamp']))).toBe(SmallLog.START + MINUTE);
      const asSaid = await read(`gone/da/health?at=${momentOf(5_000)}`);
      expect(Date.parse(String(asSaid['timestamp']))).toBe(SmallLog.START + 5_000);
    });
  });

  it('have in their status the newest block that the node had by then', async () => {
    const latestAt = async (query: string): Promise<unknown> => {
      const { result } = (await read(`alpha/status${query}`)) as { result: { sync_info: Json } };
      return result.sync_info;
    };
    const block = (height: string, ms: number) => ({
      latest_block_height: height,
      latest_block_time: momentOf(ms).replace(/\.?0*Z$/, 'Z'),
      latest_block_hash: expect.any(String) as unknown,
      latest_app_hash: expect.any(String) as unknown,
      catching_up: false,
    });
    expect(await latestAt('')).toEqual(block('4', 7_500));
    expect(await latestAt(`?at=${momentOf(8_000)}`)).toEqual(block('4', 7_500));
    expect(await latestAt(`?at=${momentOf(7_999)}`)).toEqual(block('3', 5_500));
    expect(await latestAt(`?at=${momentOf(999)}`)).toEqual({ catching_up: false });
    expect((await get(`alpha/status?at=${momentOf(999)}`)).headers.get('x-hindsight-missing')).toContain(
      'sync_info.latest_block_height',
    );
  });

  it('have no status query if a node has none in the settings, and otherwise only while it answers', async () => {
    const found = await get('only-live/status');
    expect([found.status, await found.text()]).toEqual([404, '404 page not found\n']);
    expect((await get(`only-live/status?at=${momentOf(9_000)}`)).status).toBe(404);
    // One node had not been polled by then, another one is polled for it since, and a third is gone.
    expect((await get(`only-live/status?at=${momentOf(8_000)}`)).status).toBe(503);
    expect((await get(`gone/status?at=${momentOf(499)}`)).status).toBe(503);
    expect((await get('down/status')).status).toBe(503);
  });

  it.each([
    ['alpha/da', 200],
    ['off/da', 503],
    ['off/da?shape=spec', 404],
    [`off/da?at=${momentOf(5_000)}`, 200],
    ['nobody/da', 404],
    ['alpha/da?at=yesterday', 400],
    ['alpha/da?shape=round', 400],
  ])('have the status of the page that a node has: %s', async (path, status) => {
    const response = await get(path);
    expect(response.status).toBe(status);
    if (status !== 400) expect(await response.text()).toMatch(/^<!doctype html>/i);
  });

  it('report a node as down, and not as unmonitored, while it is polled, even in the past', async () => {
    const known = `knownAt: "${new Date(Date.now() + 60_000).toISOString()}"`;
    const rules = await api.read<Record<string, { own: { rule: string } }>>(
      `{ ${['gone', 'down'].map((id) => `${id}: node(id: "${id}") { own: node { rule } } ${id}Known: node(id: "${id}", ${known}) { own: node { rule } }`).join(' ')} }`,
    );
    expect(Object.values(rules).map(({ own }) => own.rule)).toEqual([
      'not-watched',
      'not-watched',
      'unreachable',
      'unreachable',
    ]);
  });

  it('show the newest block that was read while newer ones wait for it', async () => {
    const [event] = new SmallLog().blocks('alpha', 'alpha', [{ height: 5, at: NOW }]).events;
    const next = { ...event, observedAt: SmallLog.START + NOW } as NewEvent;
    const [{ version }] = await api.dataSource.query(
      "SELECT max(version) AS version FROM event WHERE stream = 'alpha/blocks'",
    );
    const append = { stream: 'alpha/blocks', expectedVersion: BigInt(version), events: [next] };
    expect(await new EventStore(api.dataSource).append(append)).toMatchObject({ won: true });
    const answer = await post('alpha/evnode.v1.StoreService/GetBlock', '{"height":0}');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ block: { header: { header: { height: '4' } } } });
    expect((await read('alpha/status'))['result']).toMatchObject({ sync_info: { latest_block_height: '4' } });
  });

  it('answer a probe with no status that HTTP does not have', async () => {
    expect((await get('alpha/health/live')).status).toBe(503);
  });

  it('report a node as not live if it was taken out of the settings', async () => {
    expect((await get(`left/health/live?at=${momentOf(5_000)}`)).status).toBe(200);
    expect((await get('left/health/live')).status).toBe(503);
  });

  it('report a node as live only while it is polled', async () => {
    const [live, late] = [`at=${momentOf(5_000)}`, `at=${momentOf(10 * MINUTE)}`];
    expect((await get(`gone/health/live?${live}`)).status).toBe(200);
    for (const path of ['health/live', `health/live?${late}`, 'status', `status?${late}`]) {
      const response = await get(`gone/${path}`);
      expect([response.status, await response.text()]).toEqual([503, expect.stringMatching(/polled/)]);
    }
  });

  it('say which part of cut rows is missing, and prove nothing about them', async () => {
    for (const query of ['', `?at=${momentOf(8_000)}`, '?limit=5']) {
      const { headers } = await get(`cut/da/submissions${query}`);
      expect([headers.get('x-hindsight-proven'), headers.get('x-hindsight-missing')]).toEqual([
        'false',
        'submissions.blob_ids, submissions.message',
      ]);
    }
  });

  it('leave out of its state what no block contains', async () => {
    const response = await post('alpha/evnode.v1.StoreService/GetState?shape=spec');
    const { state } = (await response.json()) as { state: Json };
    expect(Object.keys(state)).toEqual(['chain_id', 'last_block_height', 'last_block_time']);
    // The real node's form has zeros for what is left out.
    expect((await post('alpha/evnode.v1.StoreService/GetState')).status).toBe(503);
    expect(response.headers.get('x-hindsight-missing')).toMatch(/state.appHash, state.nextProposerAddress/);
  });

  it('list its namespaces from the time at which the node had reported them', async () => {
    const path = 'alpha/evnode.v1.ConfigService/GetNamespace';
    for (const query of ['', `?at=${momentOf(1_000)}`]) {
      const response = await post(path, '{}', query);
      expect([response.status, Object.keys((await response.json()) as Json)]).toEqual([
        200,
        ['headerNamespace', 'dataNamespace'],
      ]);
    }
    expect((await post(path, '{}', `?at=${momentOf(999)}`)).status).toBe(503);
    expect((await post('never/evnode.v1.ConfigService/GetNamespace')).status).toBe(503);
  });
});
