import type { NewEvent } from '../../src/domain/events.js';
import { microsToMillis } from '../../src/domain/time.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { SmallLog } from '../support/small-log.js';
import { useApi } from '../support/use-database.js';
import { projectAll } from '../support/read-models.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';

interface World {
  readonly submissions: { readonly nodes: readonly { readonly id: string; readonly evidence: string }[] };
  readonly statistics: readonly { readonly attempts: string; readonly reconstructed: string }[];
  readonly costReport: readonly { readonly feeMax: string | null; readonly submissions: string }[];
}

const HOUR = 'bucket: HOUR, from: "2026-11-21T00:00:00Z", to: "2026-11-21T01:00:00Z"';

describe('the past', () => {
  const api = useApi();
  const log = new SmallLog();
  const times: string[] = [];
  const versions = new Map<string, bigint>();
  let appended = 0;

  const append = async (stream: string, event: NewEvent): Promise<void> => {
    const store = new EventStore(api.dataSource);
    const expectedVersion = versions.get(stream) ?? 0n;
    const { won } = await store.append({ stream, expectedVersion, events: [event] });
    expect(won).toBe(true);
    versions.set(stream, expectedVersion + 1n);
  };
  /** All read models process new events, and the time is noted from which they are known. */
  const know = async (): Promise<void> => {
    for (const { stream, type, observedAt, body } of log.events.slice(appended))
      await append(stream, { type, body, observedAt: microsToMillis(observedAt) } as NewEvent);
    appended = log.events.length;
    await projectAll(api.dataSource);
    await new RollUp(api.dataSource).run();
    const [row] = await api.dataSource.query<{ at: string }[]>(
      `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at`,
    );
    times.push(row?.at ?? '');
  };
  const ask = (travel = ''): Promise<World> =>
    api.read(
      `{ submissions(order: OBSERVED_ASC ${travel}) { nodes { id evidence } }
         statistics(${HOUR} ${travel}) { attempts reconstructed }
         costReport(${HOUR} ${travel}) { feeMax submissions } }`,
    );
  const knownAt = (index: number): Promise<World> => ask(`, knownAt: "${times[index]}"`);

  beforeAll(async () => {
    log.register('alpha', 'lab-1').describe('alpha', 'lab-1');
    log.now = 60_000;
    log.rows('alpha', [{ da: 10 }]).blocks('alpha', 'lab-1', [{ height: 1, headerDa: 10 }]);
    await know();
    // A late row.
    log.now = 7_200_000;
    log.lose('alpha', 'SubmissionWindowLost').rows('alpha', [{ da: 12, at: 120_000 }]);
    const at = SmallLog.START + 59_000;
    await append('alpha/claims', {
      type: 'DaHealthClaimed',
      observedAt: at,
      body: { looks: { first: at, last: at, count: 1, longestGapMs: 0 }, status: 'healthy', body: {} },
    });
    await know();
    const entry = { chain: 'lab-1', subject: 'GAS_PRICE', effectiveFrom: null, value: { utia: '0.01' } };
    await append('lab-1/operator', {
      type: 'PriceSet',
      observedAt: SmallLog.START,
      body: { entries: [entry as never], source: 'me' },
    });
    await know();
    log.blocks('alpha', 'lab-1', [
      { height: 2, headerDa: 11, at: 90_000 },
      { height: 3, headerDa: 12, at: 100_000 },
      { height: 4, headerDa: 13, at: 110_000 },
    ]);
    // Polls of the lists after them: their rows no longer come.
    log.now = 7_300_000;
    log
      .watch('alpha')
      .rows('alpha', [{ da: 20, at: 7_300_000 }])
      .watch('alpha');
    await know();
    // Polling continues.
    log.now = 7_320_000;
    log.watch('alpha');
    await know();
  });

  it('is answered as it was then, while a late row, a price and a reconstruction each change the present answer', async () => {
    const answers = await Promise.all(times.map((_, index) => knownAt(index)));
    const [before, late, priced, proven, looked] = answers;
    const idsOf = (world: World | undefined) => world?.submissions.nodes.map(({ id }) => id);
    expect(idsOf(before)).toEqual(['alpha~1']);
    expect(before?.statistics).toEqual([{ attempts: '1', reconstructed: '0' }]);
    expect(before?.costReport).toEqual([{ feeMax: null, submissions: '1' }]);

    expect(idsOf(late)).toEqual(['alpha~1', 'alpha~2']);
    expect(late?.submissions.nodes[1]?.evidence).toBe('UNCONFIRMED');
    expect(late?.statistics).toEqual([{ attempts: '2', reconstructed: '0' }]);
    expect(late?.costReport).toEqual([{ feeMax: null, submissions: '2' }]);

    expect(idsOf(priced)).toEqual(idsOf(late));
    expect(priced?.costReport[0]?.feeMax).toMatch(/^\d+$/);

    expect(idsOf(proven)).toEqual(['alpha~1', 'alpha~2', 'lab-1~1~HEADER~11', 'alpha~3']);
    expect(proven?.submissions.nodes[1]?.evidence).toBe('CONFIRMED');
    expect(proven?.statistics[0]?.reconstructed).not.toBe('0');
    expect(Number(proven?.costReport[0]?.feeMax)).toBeGreaterThan(Number(priced?.costReport[0]?.feeMax));

    const { costReport } = await api.read<{ costReport: object[] }>(
      `{ costReport(${HOUR}, knownAt: "${times[2]}") { feePerBlockMax } }`,
    );
    // One block was known then.
    expect(costReport).toEqual([{ feePerBlockMax: priced?.costReport[0]?.feeMax }]);

    const now = await ask();
    expect([looked, now]).toEqual([proven, proven]);
    expect(await ask(', knownAt: "2100-01-01T00:00:00Z"')).toEqual(now);
  });

  it('is available for single rows, losses, blocks and nodes, too', async () => {
    const then = `knownAt: "${times[0]}"`;
    expect(
      await api.read(
        `{ row: submission(id: "alpha~1", ${then}) { ...about updatedAt withdrawn }
           late: submission(id: "alpha~2", ${then}) { id }
           now: submission(id: "alpha~1") { ...about }
           losses(${then}) { nodes { kind } }
           blocks(${then}) { nodes { height headerDaHeight checks { link } updatedAt } }
           block(node: "alpha", height: 2, ${then}) { height }
           known: block(node: "alpha", height: 1, ${then}) { height }
           node(id: "alpha", ${then}) { id chain head pending oldest submissionCount blockCount lastSuccessAt lastSeenAt aggregator retired claim }
           nodes(${then}) { id blockCount submissionCount da { state to } }
           healthHistory(node: "alpha", ${then}) { state to } }
         fragment about on Submission {
           id evidence next { id } blocks healthThen { to } claimThen { status }
           node { head submissionCount blockCount } previous { id } }`,
      ),
    ).toEqual({
      row: {
        id: 'alpha~1',
        evidence: 'CONFIRMED',
        updatedAt: null,
        withdrawn: false,
        next: null,
        previous: null,
        blocks: ['1'],
        healthThen: { to: '2026-11-21T00:01:30.000Z' },
        claimThen: null,
        node: { head: '1', submissionCount: '1', blockCount: '1' },
      },
      late: null,
      now: {
        id: 'alpha~1',
        evidence: 'CONFIRMED',
        next: { id: 'alpha~2' },
        previous: null,
        blocks: ['1'],
        healthThen: { to: '2026-11-21T00:01:30.000Z' },
        claimThen: { status: 'healthy' },
        node: { head: '4', submissionCount: '3', blockCount: '4' },
      },
      losses: { nodes: [] },
      blocks: {
        nodes: [{ height: '1', headerDaHeight: '10', checks: { link: 'NOT_CHECKED' }, updatedAt: null }],
      },
      block: null,
      known: { height: '1' },
      node: {
        id: 'alpha',
        chain: 'lab-1',
        head: '1',
        pending: null,
        oldest: null,
        submissionCount: '1',
        blockCount: '1',
        lastSuccessAt: '2026-11-21T00:01:00.000Z',
        lastSeenAt: null,
        aggregator: null,
        retired: false,
        claim: null,
      },
      nodes: [{ id: 'alpha', blockCount: '1', submissionCount: '1', da: expect.anything() as unknown }],
      healthHistory: expect.any(Array) as unknown,
    });
  });

  it('is available for the nodes of blocks and gaps, by the records of each', async () => {
    const of = (list: string, travel: string): string =>
      `${list}(${travel}) { nodes { node { id head blockCount } } }`;
    const answer = await api.read<Record<string, { nodes: object[] }>>(
      `{ block: ${of('blocks', `first: 1, knownAt: "${times[1]}"`)} hole: ${of('losses', `knownAt: "${times[1]}"`)}
         blockNow: ${of('blocks', 'first: 1')} holeNow: ${of('losses', '')} }`.replace('()', ''),
    );
    const [then, now] = ['1', '4'].map((count) => ({ id: 'alpha', head: count, blockCount: count }));
    expect(answer['block']?.nodes).toEqual([{ node: then }]);
    expect(answer['hole']?.nodes).toContainEqual({ node: then });
    expect(answer['blockNow']?.nodes).toEqual([{ node: now }]);
    expect(answer['holeNow']?.nodes).toContainEqual({ node: now });
  });

  it('is available for coverage, by the polls that were recorded then', async () => {
    const hour = 'bucket: HOUR, from: "2026-11-21T02:00:00Z", to: "2026-11-21T03:00:00Z"';
    const covered = (travel: string): string =>
      `coverage(node: "alpha", ${travel}) { from to } statistics(${hour}, ${travel}) { coverage } costReport(${hour}, ${travel}) { coverage }`;
    const none = { coverage: 0 };
    expect(await api.read(`{ ${covered(`knownAt: "${times[2]}"`)} }`)).toEqual({
      coverage: [],
      statistics: [none],
      costReport: [none],
    });
    const share = { coverage: expect.closeTo(100 / 3600, 6) as unknown };
    const whole = {
      coverage: [{ from: '2026-11-21T02:00:00.000Z', to: '2026-11-21T02:01:40.000Z' }],
      statistics: [share],
      costReport: [share],
    };
    expect(await api.read(`{ ${covered(`knownAt: "${times[3]}"`)} }`)).toEqual(whole);
    const now = await api.read<object>(
      `{ coverage(node: "alpha") { from to } before: submission(id: "alpha~3", knownAt: "${times[3]}") { healthThen { to } }
         now: submission(id: "alpha~3") { healthThen { to } } }`,
    );
    // There were no further polls, by what was recorded then.
    expect(now).toEqual({
      coverage: [{ from: '2026-11-21T02:00:00.000Z', to: '2026-11-21T02:02:00.000Z' }],
      before: { healthThen: { to: '2026-11-21T02:02:10.000Z' } },
      now: { healthThen: { to: '2026-11-21T02:02:30.000Z' } },
    });
  });

  it('is empty before the record', async () => {
    const never = 'knownAt: "1999-01-01T00:00:00Z"';
    expect(
      await api.read(
        `{ submissions(${never}) { nodes { id } } blocks(${never}) { nodes { height } } losses(${never}) { nodes { id } }
           nodes(${never}) { id } node(id: "alpha", ${never}) { id } healthHistory(node: "alpha", ${never}) { state }
           statistics(bucket: YEAR, timeZone: "UTC", ${never}) { time } }`,
      ),
    ).toMatchObject({
      submissions: { nodes: [] },
      blocks: { nodes: [] },
      losses: { nodes: [] },
      nodes: [],
      node: null,
      healthHistory: [],
      statistics: [],
    });
  });

  it('is the world at a time with asOf, by all that is known today', async () => {
    const at = 'asOf: "2026-11-21T00:01:35Z"';
    expect(
      await api.read(
        `{ submissions(order: OBSERVED_ASC, ${at}) { nodes { id next { id } } }
           blocks(order: HEIGHT_ASC, ${at}) { nodes { height headerDaHeight } }
           late: submission(id: "alpha~2", ${at}) { id }
           node(id: "alpha", ${at}) { head submissionCount blockCount chain inclusionFrontier }
           quarter: statistics(bucket: HOUR, from: "2026-11-21T00:00:00Z", asOf: "2026-11-21T00:20:00Z") { time attempts }
           cut: statistics(bucket: HOUR, from: "2026-11-21T00:00:00Z", ${at}) { time attempts reconstructed blocksProduced }
           cost: costReport(bucket: HOUR, from: "2026-11-21T00:00:00Z", ${at}) { time submissions }
           none: statistics(bucket: HOUR, from: "2026-11-21T00:00:00Z", asOf: "2026-11-21T00:00:00Z") { time }
           both: submissions(knownAt: "${times[0]}", asOf: "2026-11-21T00:00:30Z") { nodes { id } } }`,
      ),
    ).toEqual({
      submissions: {
        nodes: [
          { id: 'alpha~1', next: null },
          { id: 'lab-1~1~HEADER~11', next: null },
        ],
      },
      blocks: {
        nodes: [
          { height: '1', headerDaHeight: '10' },
          { height: '2', headerDaHeight: '11' },
        ],
      },
      late: null,
      node: { head: '2', submissionCount: '1', blockCount: '2', chain: 'lab-1', inclusionFrontier: null },
      quarter: [{ time: '2026-11-21T00:00:00.000Z', attempts: '2' }],
      cut: [{ time: '2026-11-21T00:00:00.000Z', attempts: '1', reconstructed: '1', blocksProduced: '2' }],
      cost: [{ time: '2026-11-21T00:00:00.000Z', submissions: '2' }],
      none: [],
      both: { nodes: [] },
    });
  });

  it('is the same by asOf for a part of a quarter hour as for all of it, if nothing happened in the rest', async () => {
    const figures = `attempts successes reconstructed blobCount sizeBytes sharesMin sharesMax inclusionLagMs { p50 max count }
      blobBytes { p50 count } blocksProduced blocksIncluded transactions pendingAtEnd inclusionFrontierAtEnd`;
    const costs =
      'submissions gasMin gasMax feeMin feeMax recordedShare pricedShare unknownShare feePerBlockMax';
    const read = (bucket: string, groups: string, end: string): Promise<Record<string, object[]>> => {
      const args = `bucket: ${bucket}, groupBy: [${groups}], from: "2026-11-21T00:00:00Z", asOf: "${end}"`;
      return api.read(`{ statistics(${args}) { ${figures} } costReport(${args}) { ${costs} } }`);
    };
    for (const bucket of ['HOUR', 'DAY', 'MONTH']) {
      for (const groups of ['', 'NODE', 'CHAIN KIND']) {
        const cut = await read(bucket, groups, '2026-11-21T00:14:59.999Z');
        expect(cut).toEqual(await read(bucket, groups, '2026-11-21T00:15:00Z'));
        expect(cut['statistics']).not.toEqual([]);
        // Next to whole quarter hours that are stored.
        const late = await read(bucket, groups, '2026-11-21T02:07:00Z');
        expect(late).toEqual(await read(bucket, groups, '2026-11-21T02:15:00Z'));
      }
    }
  });

  it.each(['submissions', 'blocks', 'losses'])('is in files of %s', async (name) => {
    const read = async (query: string): Promise<string[]> => {
      const response = await fetch(`${api.url}/export/${name}.ndjson?${query}`);
      const text = await response.text();
      expect([response.status, text]).toEqual([200, text]);
      return text.split('\n').filter((line) => line !== '');
    };
    const key = name === 'blocks' ? 'height' : 'id';
    const travels: Record<string, string>[] = [
      { knownAt: times[0] ?? '' },
      { knownAt: times[1] ?? '' },
      { asOf: '2026-11-21T00:01:35.000Z' },
    ];
    for (const travel of travels) {
      const args = Object.entries(travel)
        .map(([argument, time]) => `${argument}: "${time}"`)
        .join(', ');
      const asked = await api.read<Record<string, { nodes: Record<string, string>[] }>>(
        `{ ${name}(${args}) { nodes { ${key} } } }`,
      );
      const lines = await read(new URLSearchParams(travel).toString());
      const keys = lines.map((line) => String((JSON.parse(line) as Record<string, unknown>)[key]));
      expect(keys.sort()).toEqual(asked[name]?.nodes.map((row) => row[key]).sort());
    }
  });

  it.each([
    [-1, 4],
    [0, 1],
    [3, 4],
  ])('is in files of submissions with rows that only the log has (%d)', async (index, count) => {
    const travel = index < 0 ? '' : times[index];
    const { submissions } = await api.read<{
      submissions: { nodes: { id: string; raw: unknown; blobIds: string[]; blocks: string[] }[] };
    }>(
      `{ submissions(order: OBSERVED_ASC ${travel === '' ? '' : `, knownAt: "${travel}"`}) { nodes { id raw blobIds blocks } } }`,
    );
    const query = `columns=blocks,blob_ids,raw,id${travel === '' ? '' : `&knownAt=${travel}`}`;
    const text = await (await fetch(`${api.url}/export/submissions.ndjson?${query}`)).text();
    const rows = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, string | null>);
    expect(rows.map((row) => Object.keys(row))).toEqual(rows.map(() => ['id', 'raw', 'blob_ids', 'blocks']));
    expect(
      rows.map(({ id, raw, blob_ids: ids, blocks }) => ({
        id,
        raw: JSON.parse(raw ?? 'null') as unknown,
        blobIds: JSON.parse(ids ?? '') as unknown,
        blocks: (JSON.parse(blocks ?? '') as number[]).map(String),
      })),
    ).toEqual(submissions.nodes);
    expect(rows).toHaveLength(count);
    expect(rows.some(({ blocks }) => blocks !== '[]')).toBe(true);
    const csv = await (await fetch(`${api.url}/export/submissions.csv?columns=id,raw&limit=1`)).text();
    expect(csv).toMatch(/^id,raw\nalpha~1,"\{""height"":10,/);
  });

  it('is in files of health, statistics and costs', async () => {
    const bucket = 'bucket=HOUR&from=2026-11-21T00:00:00Z&to=2026-11-21T01:00:00Z&knownAt=';
    const rows = async (path: string): Promise<Record<string, unknown>[]> => {
      const text = await (await fetch(`${api.url}/export/${path}`)).text();
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    };
    expect(await rows(`statistics.ndjson?${bucket}${times[0]}`)).toMatchObject([{ attempts: 1 }]);
    expect(await rows(`statistics.ndjson?${bucket}${times[1]}`)).toMatchObject([{ attempts: 2 }]);
    expect(await rows(`costs.ndjson?${bucket}${times[1]}`)).toMatchObject([{ submissions: 2 }]);
    expect(await rows('health.ndjson?knownAt=1999-01-01T00:00:00Z')).toEqual([]);
  });
});
