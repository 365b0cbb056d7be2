import type { NewEvent, RecordedEvent } from '../../src/domain/events.js';
import { AvailabilityProjection } from '../../src/projections/health/availability.js';
import { ClaimsProjection } from '../../src/projections/claims.js';
import { CoverageProjection } from '../../src/projections/health/coverage.js';
import { HealthProjection } from '../../src/projections/health/health.js';
import { ProbesProjection } from '../../src/projections/probes.js';
import type { Projection } from '../../src/projections/projection.js';
import { foldHistory } from '../support/health-history.js';
import { observeRecording } from '../support/observed-recording.js';
import { seededRandom } from '../support/seeded-random.js';
import { tellStepped } from '../support/stepped-log.js';
import { useDatabase } from '../support/use-database.js';
import { takeEvents } from '../support/read-models.js';

const MINUTE_MS = Date.UTC(2026, 10, 21, 3, 0, 0);
const create = (): Projection[] => [
  new HealthProjection(),
  new AvailabilityProjection(),
  new CoverageProjection(),
  new ProbesProjection(),
  new ClaimsProjection(),
];

describe('the read models of health', () => {
  const dataSource = useDatabase();
  const { events } = observeRecording(seededRandom(11));

  beforeEach(async () => {
    const tables = create().flatMap((projection) => projection.tables);
    await dataSource.query(`TRUNCATE ${tables.join(', ')}`);
  });

  async function project(
    log: readonly RecordedEvent[],
    batchSize: number,
    projections = create(),
  ): Promise<void> {
    for (const projection of projections) {
      const handled = log.filter(({ type }) => projection.handles.includes(type));
      for (let at = 0; at < handled.length; at += batchSize) {
        await takeEvents(dataSource, projection, handled.slice(at, at + batchSize));
      }
    }
  }

  async function readAll(): Promise<Record<string, unknown[]>> {
    const rows: Record<string, unknown[]> = {};
    for (const table of create().flatMap((projection) => projection.tables)) {
      const found = await dataSource.query<{ row: string }[]>(
        `SELECT t::text AS row FROM ${table} t ORDER BY t::text`,
      );
      rows[table] = found.map(({ row }) => row);
    }
    return rows;
  }

  it('come out the same however the log is cut into batches', async () => {
    const log = [...events, ...toldBeside(events.length)];
    await project(log, 5_000);
    const whole = await readAll();
    for (const batchSize of [7, 1]) {
      await dataSource.query(`TRUNCATE ${Object.keys(whole).join(', ')}`);
      await project(log, batchSize);
      expect(await readAll()).toEqual(whole);
    }
    const empty = Object.keys(whole).filter((table) => whole[table]?.length === 0);
    expect(empty).toEqual(['health_threshold']);
  });

  it('hold the intervals that the fold gives, without a gap, and every version that was known', async () => {
    await project(events, 100);
    const { intervals } = foldHistory(events);
    for (const component of ['DA', 'NODE'] as const) {
      const rows = await dataSource.query<{ from_at: bigint; to_at: bigint | null; rule: string }[]>(
        `SELECT from_at, to_at, rule FROM health_interval
          WHERE component = $1 AND to_position IS NULL ORDER BY from_at`,
        [component],
      );
      const toMs = (us: bigint): number => Math.round(Number(us) / 1_000);
      expect(rows.map(({ from_at, to_at, rule }) => [toMs(from_at), to_at && toMs(to_at), rule])).toEqual(
        intervals[component].map(({ from, to, rule }) => [
          Math.round(from),
          to === null ? null : Math.round(to),
          rule,
        ]),
      );
    }
  });

  it('tell at any position what was known there', async () => {
    await project(events, 5_000);
    for (const cut of [40, 200, 333, events.length]) {
      const position = events[cut - 1]?.position ?? 0n;
      const [known] = await dataSource.query<{ line: string }[]>(
        `SELECT string_agg(component || ' ' || rule || ' ' || coalesce(to_at::text, 'open'), ', ' ORDER BY component, from_at) AS line
           FROM health_interval WHERE from_position <= $1 AND (to_position > $1 OR to_position IS NULL)`,
        [String(position)],
      );
      const { intervals } = foldHistory(events.slice(0, cut));
      const count = intervals.DA.length + intervals.NODE.length;
      expect(known?.line.split(', ').length).toBe(count);
      expect(known?.line.match(/open/g)?.length).toBe(2);
    }
  });

  it('record that the node claimed to be healthy while inclusion was frozen', async () => {
    await project(events, 5_000);
    const rows = await dataSource.query<{ claim: string; claim_differs: boolean; differed_ms: bigint }[]>(
      `SELECT claim, claim_differs, differed_ms FROM health_interval
        WHERE rule = 'frozen' AND to_position IS NULL ORDER BY from_at`,
    );
    expect(rows.map(({ claim, claim_differs }) => [claim, claim_differs])).toEqual([
      ['healthy', true],
      ['healthy', true],
    ]);
    expect(rows.every(({ differed_ms }) => differed_ms > 10_000n)).toBe(true);
  });

  it('hold thresholds of a chain from the event on that sets them', async () => {
    const told = [
      tell('lab-1/chain', 'ChainSettingsChanged', 0, {
        reportingTimeZone: 'UTC',
        thresholds: { failingAfterMs: 9_000 },
        da: {},
      }),
      tell('recorded/node', 'NodeDescribed', 0, { chain: 'lab-1', aggregator: true }),
    ].map((event, index) => ({ ...event, position: BigInt(index + 1) }) as RecordedEvent);
    const shifted = events.map((event) => ({ ...event, position: event.position + 2n }));
    await project([...told, ...shifted], 50);
    const [failing] = await dataSource.query<{ reason: string }[]>(
      `SELECT reason FROM health_interval WHERE rule = 'failing' AND to_position IS NULL ORDER BY from_at LIMIT 1`,
    );
    expect(failing?.reason).toContain('critical from 9 s on');
  });

  it('break coverage at every hole that was found, and nowhere else', async () => {
    await project(events, 5_000);
    const rows = await dataSource.query<{ ended_by: string | null; seconds: number }[]>(
      `SELECT ended_by, extract(epoch FROM to_at - from_at)::float8 AS seconds FROM coverage_interval ORDER BY from_at`,
    );
    expect(rows.map(({ ended_by }) => ended_by)).toEqual([
      'SubmissionRingReset',
      'SubmissionRingReset',
      null,
    ]);
    const [first = 0, second = 0, third = 0] = rows.map(({ seconds }) => seconds);
    expect([first > 230, second > 40 && second < 50, third > 110]).toEqual([true, true, true]);
  });

  it('join availability without a gap and keep the detail', async () => {
    await project(events, 5_000);
    const rows = await dataSource.query<{ state: string; joined: boolean | null }[]>(
      `SELECT state, from_at = lag(to_at) OVER (ORDER BY from_at) AS joined
         FROM availability_interval WHERE to_position IS NULL ORDER BY from_at`,
    );
    expect(rows.map(({ state }) => state).slice(-4)).toEqual([
      'UNREACHABLE',
      'AVAILABLE',
      'UNREACHABLE',
      'AVAILABLE',
    ]);
    expect(rows.slice(1).every(({ joined }) => joined)).toBe(true);
  });

  describe('of a log whose observer went by a clock that was set', () => {
    const DAY = 86_400;
    const down = [[330, 1_500]] as const;
    const stepped = tellStepped({
      lasts: 3_000,
      steps: [
        { at: 60, offBy: 400 * DAY },
        { at: 120, offBy: 0 },
        { at: 300, offBy: -1_800 },
      ],
      isShared: false,
      down,
    });
    const secondsOf = (column: string) =>
      `round(extract(epoch FROM ${column}) - ${stepped.startMs / 1000})::int AS ${column}`;

    it('are in the order of time, with the outage where it was, and reach no further than the log', async () => {
      await project(stepped.events, 100);
      const states = await dataSource.query<{ state: string; from_at: number; to_at: number | null }[]>(
        `SELECT state, ${secondsOf('from_at')}, ${secondsOf('to_at')} FROM availability_interval
          WHERE to_position IS NULL ORDER BY availability_interval.from_at`,
      );
      expect(states.map(({ state }) => state)).toEqual(['AVAILABLE', 'UNREACHABLE', 'AVAILABLE']);
      expect(Math.abs((states[1]?.from_at ?? 0) - 330)).toBeLessThanOrEqual(5);
      expect(Math.abs((states[1]?.to_at ?? 0) - 1_500)).toBeLessThanOrEqual(5);
      const [covered] = await dataSource.query<{ from_at: number; to_at: number }[]>(
        `SELECT ${secondsOf('from_at')}, ${secondsOf('to_at')} FROM coverage_interval`,
      );
      expect(covered?.from_at).toBeLessThanOrEqual(5);
      expect(Math.abs((covered?.to_at ?? 0) - 3_000)).toBeLessThanOrEqual(5);
    });

    it('come out the same however the log is cut into batches', async () => {
      await project(stepped.events, 5_000);
      const whole = await readAll();
      await dataSource.query(`TRUNCATE ${Object.keys(whole).join(', ')}`);
      await project(stepped.events, 37);
      expect(await readAll()).toEqual(whole);
    });
  });

  describe('of a list that was seen empty', () => {
    /** Looks from a second to another, with the longest gap in seconds. */
    const looks = (first: number, last: number, longestGap = 2, count = 9) => ({
      first: MINUTE_MS + first * 1_000,
      last: MINUTE_MS + last * 1_000,
      longestGapMs: longestGap * 1_000,
      count,
    });
    const watched = (first: number, last: number, longestGap?: number) =>
      tell('n/node', 'NodeWatched', last, { looks: { submissions: looks(first, last, longestGap) } });
    const loss = (from: number | null, to: number, made = looks(to, to)) => ({
      looks: made,
      source: 0,
      after: 0,
      minLost: 0,
      maxLost: null,
      likelyLost: null,
      from: from === null ? null : MINUTE_MS + from * 1_000,
      to: MINUTE_MS + to * 1_000,
    });
    const source = (state: string, at: number, made: object) =>
      tell('n/submissions', 'SubmissionSourceChanged', at, { state, detail: '', looks: made });
    const observed = (at: number, made: object) =>
      tell('n/submissions', 'SubmissionsObserved', at, { looks: made, rows: ['{}'] });
    const reset = (from: number | null, at: number, made?: ReturnType<typeof looks>) =>
      tell('n/submissions', 'SubmissionRingReset', at, { ...loss(from, at, made), ring: 1 });
    const missing = tell('n/submissions', 'SubmissionHistoryMissing', 0, loss(null, 0));
    const upTo60 = [missing, watched(0, 60)];

    it.each([
      [
        'goes on while it is looked at',
        [...upTo60, watched(62, 120), observed(122, looks(122, 122))],
        [[0, 122]],
      ],
      [
        'ends where nobody looked before the next looks',
        [...upTo60, watched(600, 630)],
        [
          [0, 60],
          [600, 630],
        ],
      ],
      [
        'ends where a gap was among looks, of which it is not known which',
        [...upTo60, watched(62, 120, 30)],
        [
          [0, 60],
          [120, 120],
        ],
      ],
      [
        'ends where it showed rows behind a gap, and goes on with these',
        [...upTo60, observed(600, looks(600, 600)), watched(700, 720)],
        [
          [0, 60],
          [600, 720],
        ],
      ],
      [
        'ends with the look before one that failed, until the next that is recorded',
        [
          ...upTo60,
          source('UNREACHABLE', 66, looks(62, 66)),
          source('AVAILABLE', 68, looks(67, 68)),
          watched(69, 90),
        ],
        [
          [0, 64],
          [90, 90],
        ],
      ],
      [
        'ends at the look before a hole that was stated, which was after a gap',
        [...upTo60, reset(64, 100, looks(62, 100, 36)), watched(102, 110)],
        [
          [0, 64],
          [100, 110],
        ],
      ],
      [
        'ends at the look before a hole that was stated, which was after a failed look',
        [
          ...upTo60,
          source('UNREACHABLE', 66, looks(62, 66)),
          source('AVAILABLE', 68, looks(67, 68)),
          reset(64, 68),
          watched(70, 90),
        ],
        [
          [0, 64],
          [68, 90],
        ],
      ],
      [
        'ends at the last good look on record where a gap lies before a hole that says less',
        [
          ...upTo60,
          tell('n/submissions', 'SubmissionOverlapAmbiguous', 702, {
            ...loss(700, 702, looks(700, 702)),
            overlap: 0,
          }),
          observed(702, looks(702, 702)),
        ],
        [
          [0, 60],
          [702, 702],
        ],
      ],
      [
        'is none of a list with rows, which continues over a gap',
        [missing, observed(0, looks(0, 0)), watched(600, 630), observed(900, looks(900, 900))],
        [[0, 900]],
      ],
    ])('coverage %s', async (_what, told, expected) => {
      const log = told.map(
        (event, index) => ({ ...event, position: BigInt(index + 1) }) as unknown as RecordedEvent,
      );
      const seconds = (column: string) => `round(extract(epoch FROM ${column}) - ${MINUTE_MS / 1000})::int`;
      for (const batchSize of [100, 1]) {
        await dataSource.query('TRUNCATE coverage_interval');
        await project(log, batchSize, [new CoverageProjection()]);
        const rows = await dataSource.query<{ from: number; to: number }[]>(
          `SELECT ${seconds('from_at')} AS "from", ${seconds('to_at')} AS "to" FROM coverage_interval ORDER BY from_position`,
        );
        expect(rows.map(({ from, to }) => [from, to])).toEqual(expected);
      }
    });
  });

  it('add up the probes of one minute', async () => {
    await project(toldBeside(0), 1);
    const [row] = await dataSource.query<Record<string, unknown>[]>('SELECT * FROM probe_minute');
    expect(row).toMatchObject({ ok: 17, failed: 2, latency_count: 16, min_ms: 1, max_ms: 30.5, p99_ms: 30 });
    expect(row?.['mean_ms']).toBeCloseTo((12 * 4 + 4 * 8) / 16);
  });

  it('keep what a node claimed as it said it, and since when', async () => {
    await project(toldBeside(0), 5_000);
    const rows = await dataSource.query<Record<string, unknown>[]>(
      'SELECT kind, status, body, to_position FROM claim ORDER BY from_position',
    );
    expect(rows).toEqual([
      { kind: 'health', status: 'healthy', body: { status: 'healthy', issues: null }, to_position: 4n },
      { kind: 'health', status: 'Degraded', body: { status: 'Degraded' }, to_position: null },
      { kind: 'stats', status: null, body: { total: '9007199254740993' }, to_position: null },
    ]);
  });
});

/** Events of another node, of the kinds that the recording does not give rise to. */
function toldBeside(after: number): RecordedEvent[] {
  const looks = { first: MINUTE_MS, last: MINUTE_MS, count: 1, longestGapMs: 0 };
  const latency = { count: 12, minMs: 1, meanMs: 4, p50Ms: 3, p99Ms: 9, maxMs: 10 };
  const slower = { count: 4, minMs: 2, meanMs: 8, p50Ms: 5, p99Ms: 30, maxMs: 30.5 };
  const minute = { looks, from: MINUTE_MS, to: MINUTE_MS + 59_000 };
  const events = [
    tell('other/probes', 'ProbesSummarised', 1, {
      ...minute,
      probes: { live: { ok: 12, failed: 0, latency } },
    }),
    tell('other/claims', 'DaHealthClaimed', 2, {
      looks,
      status: 'healthy',
      body: { status: 'healthy', issues: null },
    }),
    tell('other/probes', 'ProbesSummarised', 3, {
      ...minute,
      probes: { live: { ok: 5, failed: 2, latency: slower } },
    }),
    tell('other/claims', 'DaHealthClaimed', 4, { looks, status: 'Degraded', body: { status: 'Degraded' } }),
    tell('other/claims', 'DaStatsClaimed', 4, { looks, body: { total: '9007199254740993' } }),
  ];
  return events.map(
    (event, index) => ({ ...event, position: BigInt(after + index + 1) }) as unknown as RecordedEvent,
  );
}

function tell(stream: string, type: NewEvent['type'], second: number, body: object) {
  const at = BigInt(MINUTE_MS + second * 1000) * 1000n;
  return { stream, version: 1n, schema: 1, type, observedAt: at, recordedAt: at, body };
}
