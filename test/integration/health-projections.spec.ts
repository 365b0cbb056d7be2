import type { NewEvent, RecordedEvent } from '../../src/domain/events.js';
import { AvailabilityProjection } from '../../src/projections/health/availability.js';
import { ClaimsProjection } from '../../src/projections/claims.js';
import { CoverageProjection } from '../../src/projections/coverage.js';
import { HealthProjection } from '../../src/projections/health/health.js';
import { ProbesProjection } from '../../src/projections/probes.js';
import type { Projection } from '../../src/projections/projection.js';
import { emptyTables } from '../support/empty-tables.js';
import { foldHistory } from '../support/health-history.js';
import { HealthStory } from '../support/health-story.js';
import { observeRecording } from '../support/observed-recording.js';
import { seededRandom } from '../support/seeded-random.js';
import { tellStepped } from '../support/stepped-log.js';
import { useDatabase } from '../support/use-database.js';
import { takeEvents } from '../support/read-models.js';

const MINUTE_MS = Date.UTC(2026, 10, 21, 3, 0, 0);
const ms = (second: number): number => MINUTE_MS + second * 1_000;
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
    await emptyTables(dataSource, tables);
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
    const twice = atTwoAddresses(events);
    const log = [...twice, ...toldBeside(twice.length)];
    await project(log, 5_000);
    const whole = await readAll();
    for (const batchSize of [7, 1]) {
      await emptyTables(dataSource, Object.keys(whole));
      await project(log, batchSize);
      expect(await readAll()).toEqual(whole);
    }
    const empty = Object.keys(whole).filter((table) => whole[table]?.length === 0);
    expect(empty).toEqual(['health_threshold']);
  });

  it('judge the finality of a follower by the other nodes of its chain, however the log is cut', async () => {
    const leader = new HealthStory().describe(0.5, true);
    for (let at = 2; at <= 200; at += 1) leader.rows(at, '.').blocks(at, at, at - 1);
    const follower = new HealthStory().describe(0.5, false).source(1, 'NOT_AGGREGATOR');
    const alone = new HealthStory().describe(0.5, false).source(1, 'DISABLED');
    for (let at = 2; at <= 200; at += 1) {
      follower.blocks(at + 0.5, at, Math.min(at - 2, 100));
      alone.blocks(at + 0.7, at, 3);
    }
    const log = tellTogether({ leader, follower, alone });
    let whole: Record<string, unknown[]> | undefined;
    for (const batchSize of [5_000, 7, 1]) {
      await emptyTables(dataSource, new HealthProjection().tables);
      await project(log, batchSize, [new HealthProjection()]);
      whole ??= await readAll();
      expect(await readAll()).toEqual(whole);
    }
    const rows = await dataSource.query(
      `SELECT i.node, i.state, i.rule, f.inclusion_shown FROM health_interval i JOIN health_fold f USING (node)
        WHERE component = 'DA' AND to_at IS NULL AND to_position IS NULL ORDER BY node`,
    );
    expect(rows).toEqual([
      { node: 'alone', state: 'UNKNOWN', rule: 'disabled', inclusion_shown: false },
      { node: 'follower', state: 'CRITICAL', rule: 'frozen', inclusion_shown: true },
      { node: 'leader', state: 'HEALTHY', rule: 'healthy', inclusion_shown: true },
    ]);
  });

  it('have one trouble where the DA layer fails and the chain halts at its limit of pending blocks', async () => {
    const headAt = (at: number) => Math.min(at, 60);
    const leader = new HealthStory().describe(0.5, true).probe(0.6, 'reachable', 'OK', 200).well(0, 30);
    const follower = new HealthStory()
      .describe(0.5, false)
      .probe(0.6, 'reachable', 'OK', 200)
      .source(1, 'NOT_AGGREGATOR');
    for (let at = 31; at <= 120; at += 1) {
      leader.rows(at, 'x');
      for (const [node, later] of [
        [leader, 0],
        [follower, 0.5],
      ] as const) {
        if (headAt(at) > headAt(at - 1)) node.blocks(at + later, headAt(at), 29);
        else node.quiet('blocks', at - 1 + later, at + later);
      }
    }
    const log = tellTogether({ leader, follower });
    for (const batchSize of [5_000, 7]) {
      await emptyTables(dataSource, new HealthProjection().tables);
      await project(log, batchSize, [new HealthProjection()]);
      const rows = await dataSource.query(
        `SELECT node, component, rule FROM health_interval
          WHERE state IN ('WARNING', 'CRITICAL') AND to_position IS NULL AND to_at IS NULL`,
      );
      expect(rows).toEqual([{ node: 'leader', component: 'DA', rule: 'failing' }]);
      const held = await dataSource.query(
        `SELECT node FROM health_interval WHERE rule = 'head-held' AND to_at IS NULL AND to_position IS NULL ORDER BY node`,
      );
      expect(held).toEqual([{ node: 'follower' }, { node: 'leader' }]);
      const [troubled] = await dataSource.query<{ count: bigint }[]>(
        `SELECT count(*) FROM health_interval WHERE component = 'NODE' AND state IN ('WARNING', 'CRITICAL')`,
      );
      expect(troubled?.count).toBe(0n);
    }
  });

  it('have one incident of nodes that show two histories of their chain, and an hour of the new one', async () => {
    const create = () => new HealthStory().describe(0.5, true).probe(0.6, 'reachable', 'OK', 200);
    const [old, fresh] = [create(), create()];
    for (let at = 2; at <= 40; at += 1) for (const node of [old, fresh]) node.blocks(at, at, at - 1);
    fresh.turn(42);
    for (let at = 43; at <= 200; at += 1) {
      fresh.blocks(at, at - 41, at - 42);
      if (at < 120) old.blocks(at + 0.5, at, at - 1);
      else if (at === 120) old.turn(at + 0.5);
      else old.blocks(at + 0.5, at - 119, at - 120);
      if (at % 20 === 0) for (const node of [old, fresh]) node.quiet('probes', at - 20, at, 5);
    }
    const log = tellTogether({ old, fresh });
    for (const batchSize of [5_000, 7]) {
      await emptyTables(dataSource, new HealthProjection().tables);
      await project(log, batchSize, [new HealthProjection()]);
      const rows = await dataSource.query<{ line: string }[]>(
        `SELECT concat_ws(' ', node, rule, extract(epoch FROM from_at - $1::timestamptz)::float8) AS line FROM health_interval
          WHERE component = 'NODE' AND state IN ('WARNING', 'CRITICAL') AND to_position IS NULL ORDER BY from_at`,
        [new Date(MINUTE_MS).toISOString()],
      );
      expect(rows.map(({ line }) => line)).toEqual([
        'fresh history-replaced 42',
        'fresh histories-differ 43',
        'old histories-differ 43.5',

        'fresh history-replaced 120',
        'old history-replaced 120.5',
      ]);
      const joins = await dataSource.query(
        'SELECT node, root_node AS root FROM incident_join WHERE to_position IS NULL',
      );
      expect(joins).toEqual([{ node: 'old', root: 'fresh' }]);
    }
  });

  it('take nodes that name their chain with U+0000, however the log is cut', async () => {
    const create = () => new HealthStory().describe(0.5, true);
    const [first, second] = [create(), create()];
    for (let at = 2; at <= 20; at += 1) for (const node of [first, second]) node.blocks(at, at, at - 1);
    const log = tellTogether({ first, second }).map((event) =>
      'chain' in event.body ? { ...event, body: { ...event.body, chain: 'to\u0000ld' } } : event,
    ) as RecordedEvent[];
    for (const batchSize of [5_000, 7, 1]) {
      await emptyTables(dataSource, new HealthProjection().tables);
      await project(log, batchSize, [new HealthProjection()]);
      const rows = await dataSource.query('SELECT node, chain FROM health_fold ORDER BY node');
      expect(rows).toEqual([
        { node: 'first', chain: 'to\ufffdld' },
        { node: 'second', chain: 'to\ufffdld' },
      ]);
    }
  });

  it('have the intervals that the fold gives, without a gap, and every version that was known', async () => {
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

  it('report at any position what was known there', async () => {
    await project(events, 5_000);
    for (const cut of [40, 200, 333, events.length]) {
      const position = events[cut - 1]?.position ?? 0n;
      const [known] = await dataSource.query<{ line: string }[]>(
        `SELECT string_agg(component || ' ' || rule || ' ' || coalesce(to_at::text, 'open'), ', ' ORDER BY component, from_at) AS line
           FROM health_interval WHERE from_position <= $1 AND (to_position > $1 OR to_position IS NULL)`,
        [String(position)],
      );
      const { intervals } = foldHistory(events.slice(0, cut));
      const all = Object.values(intervals).flat();
      expect(known?.line.split(', ').length).toBe(all.length);
      expect(known?.line.match(/open/g)?.length).toBe(all.filter(({ to }) => to === null).length);
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

  it('have the thresholds of a chain from the event on that sets them', async () => {
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
    const [failing] = await dataSource.query<{ limit: number }[]>(
      `SELECT limit_value AS "limit" FROM health_interval WHERE rule = 'failing' AND to_position IS NULL ORDER BY from_at LIMIT 1`,
    );
    expect(failing?.limit).toBe(9_000);
  });

  it('break coverage at every gap that was found, and nowhere else', async () => {
    await project(events, 5_000);
    const rows = await dataSource.query<{ ended: boolean; seconds: number }[]>(
      `SELECT until_at IS NOT NULL AS ended, extract(epoch FROM to_at - from_at)::float8 AS seconds
         FROM coverage_interval WHERE kind <> 'HOLE' AND from_at < to_at ORDER BY from_at`,
    );
    expect(rows.map(({ ended }) => ended)).toEqual([true, true, false]);
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

  describe('of a log whose observer used a clock that was set', () => {
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
      const [covered, ...others] = await dataSource.query<{ from_at: number; to_at: number }[]>(
        `SELECT ${secondsOf('from_at')}, ${secondsOf('to_at')} FROM coverage_interval`,
      );
      expect(others).toEqual([]);
      expect(covered?.from_at).toBeLessThanOrEqual(5);
      expect(Math.abs((covered?.to_at ?? 0) - 3_000)).toBeLessThanOrEqual(5);
    });

    it('come out the same however the log is cut into batches', async () => {
      await project(stepped.events, 5_000);
      const whole = await readAll();
      await emptyTables(dataSource, Object.keys(whole));
      await project(stepped.events, 37);
      expect(await readAll()).toEqual(whole);
    });
  });

  describe('of the lists behind an address', () => {
    type Seen = [list: number, since: number, last: number];
    /** Polls from one second to another, and what they saw. Older versions do not report what they saw. */
    const looks = (first: number, last: number, seen?: readonly Seen[], count = 9) => ({
      first: ms(first),
      last: ms(last),
      longestGapMs: 2_000,
      count: first === last ? Math.min(count, 1) : count,
      ...(seen && { lists: seen.map(([list, since, to]) => ({ list, since: ms(since), last: ms(to) })) }),
    });
    /** The polls of an event whose append has another event that reports them. */
    const said = (at: number) => looks(at, at, [], 0);
    const watched = (first: number, last: number, seen?: readonly Seen[]) =>
      tell('n/node', 'NodeWatched', last, { looks: { submissions: looks(first, last, seen) } });
    const source = (state: string, at: number, seen?: readonly Seen[]) =>
      tell('n/submissions', 'SubmissionSourceChanged', at, { state, detail: '', looks: looks(at, at, seen) });
    const rows = (at: number, list: number, anchored: boolean, made: object = said(at)) =>
      tell('n/submissions', 'SubmissionsObserved', at, {
        looks: made,
        source: list,
        anchored,
        overlap: anchored ? 1 : 0,
        firstSequence: at + 1,
        rows: ['{}', '{}'],
      });
    const hole = (
      type: NewEvent['type'],
      from: number | null,
      at: number,
      list: number,
      made: object = said(at),
    ) =>
      tell('n/submissions', type, at, {
        looks: made,
        source: list,
        after: 0,
        minLost: 0,
        maxLost: null,
        likelyLost: null,
        from: from === null ? null : ms(from),
        to: ms(at),
      });
    const reset = (from: number, at: number, list: number, made?: object) =>
      hole('SubmissionRingReset', from, at, list, made);
    /** The first contact with a list, and polls up to the 60th second. */
    const shown = [
      source('AVAILABLE', 0, [[0, 0, 0]]),
      hole('SubmissionHistoryMissing', null, 0, 0),
      rows(0, 0, false),
      watched(1, 60, [[0, 0, 60]]),
    ];
    /** Two lists alternately, since another list answered in the tenth second. */
    const two = [
      ...shown.slice(0, 3),
      reset(
        9,
        10,
        1,
        looks(1, 10, [
          [0, 0, 9],
          [1, 10, 10],
        ]),
      ),
      rows(10, 1, false),
      watched(11, 21, [
        [0, 9, 20],
        [1, 10, 21],
      ]),
    ];
    const OPEN = null;

    const cases: [
      string,
      readonly Told[],
      readonly (readonly [string, number, number, number | null, string?])[],
    ][] = [
      ['of one list continues while its polls share rows', shown, [['list 0', 0, 60, OPEN, 'unstated']]],
      [
        'continues over failed polls if a known row proves it',
        [...shown, source('UNREACHABLE', 65, []), source('AVAILABLE', 90, [[0, 60, 90]])],
        [['list 0', 0, 90, OPEN, 'unstated']],
      ],
      [
        'ends at the last observation before a restart, and begins with the first of the new list',
        [
          ...shown,
          source('UNREACHABLE', 65, []),
          source('AVAILABLE', 90, [[1, 90, 90]]),
          reset(60, 90, 1),
          rows(90, 1, false),
          watched(91, 120, [[1, 90, 120]]),
        ],
        [
          ['list 0', 0, 60, 90],
          ['list 1', 90, 120, OPEN, 'unstated'],
        ],
      ],
      [
        'ends where polls prove nothing, up to the poll that does',
        [...shown, watched(61, 300, []), reset(60, 301, 1, looks(301, 301, [[1, 301, 301]]))],
        [
          ['list 0', 0, 60, 301],
          ['list 1', 301, 301, OPEN, 'unstated'],
        ],
      ],
      [
        'ends where a gap of a list was recorded, and continues after it',
        [...shown, reset(60, 90, 0, looks(61, 90, [[0, 80, 90]]))],
        [
          ['list 0', 0, 60, 80],
          ['list 0', 80, 90, OPEN, 'unstated'],
        ],
      ],
      [
        'is that of several lists side by side, once the first was seen again',
        two,
        [
          ['list 0', 0, 20, OPEN, 'unstated'],
          ['list 1', 10, 21, OPEN, 'unstated'],
        ],
      ],
      [
        'of a list that stays away ends when another one takes its place',
        [
          ...two,
          watched(22, 60, [[1, 21, 60]]),
          reset(
            20,
            100,
            2,
            looks(61, 100, [
              [1, 60, 99],
              [2, 100, 100],
            ]),
          ),
        ],
        [
          ['list 0', 0, 20, 100],
          ['list 1', 10, 99, OPEN, 'unstated'],
          ['list 2', 100, 100, OPEN, 'unstated'],
        ],
      ],
      [
        'continues when a list comes back that seemed to be replaced: another list was replaced',
        [
          ...two,
          watched(22, 60, [[1, 21, 60]]),
          reset(20, 100, 2, looks(61, 100, [[2, 100, 100]])),
          watched(101, 110, [
            [2, 100, 109],
            [0, 20, 110],
          ]),
        ],
        [
          ['list 0', 0, 110, OPEN, 'unstated'],
          ['list 1', 10, 60, 100],
          ['list 2', 100, 109, OPEN, 'unstated'],
        ],
      ],
      [
        'ends with the node, even for a list that was out of sight',
        [...two, watched(22, 60, [[1, 21, 60]]), tell('n/node', 'NodeRetired', 70, {})],
        [
          ['list 0', 0, 20, 70, 'unstated'],
          ['list 1', 10, 60, 70, 'unstated'],
        ],
      ],
      [
        'does not exist for a node that says it is no aggregator',
        [...shown, source('NOT_AGGREGATOR', 65, []), watched(66, 300, [])],
        [
          ['list 0', 0, 60, 65, 'unstated'],
          ['NOT_AGGREGATOR', 65, 300, OPEN],
        ],
      ],
      [
        'does not exist for a node that answers without a list, from the first answer on',
        [
          source('UNREACHABLE', 0, []),
          source('DISABLED', 5, []),
          watched(6, 40, []),
          source('AVAILABLE', 50, [[0, 50, 50]]),
        ],
        [
          ['UNSEEN', 5, 5, 50],
          ['list 0', 50, 50, OPEN, 'unstated'],
        ],
      ],
      [
        'does not begin with a node that was never reached',
        [source('UNREACHABLE', 0, []), watched(1, 60, [])],
        [],
      ],
      [
        'of a log that does not distinguish lists continues from rows to rows',
        [
          source('AVAILABLE', 0),
          rows(0, 0, false, looks(0, 0)),
          watched(600, 630),
          rows(900, 0, true, looks(900, 900)),
        ],
        [['list 0', 0, 900, OPEN, 'unstated']],
      ],
      [
        'of such a log does not include a list that was seen empty: nothing proves that it was the same process',
        [source('AVAILABLE', 0), hole('SubmissionHistoryMissing', null, 0, 0, looks(0, 0)), watched(2, 60)],
        [['list 0', 0, 0, OPEN, 'unstated']],
      ],
      [
        'of such a log ends at the poll before a recorded gap',
        [
          source('AVAILABLE', 0),
          rows(0, 0, false, looks(0, 0)),
          watched(2, 60),
          hole('SubmissionWindowLost', 64, 70, 1, looks(61, 70)),
          rows(70, 1, false),
          watched(71, 90),
        ],
        [
          ['list 0', 0, 68, 70],
          ['list 1', 70, 90, OPEN, 'unstated'],
        ],
      ],
      [
        'of such a log continues with the list that was switched to',
        [
          source('AVAILABLE', 0),
          rows(0, 0, false, looks(0, 0)),
          reset(8, 10, 1, looks(10, 10)),
          rows(10, 1, false),
          tell('n/submissions', 'SubmissionRingSwitched', 20, { looks: looks(12, 20), from: 1, to: 0 }),
          watched(21, 40),
        ],
        [
          ['list 0', 0, 40, OPEN, 'unstated'],
          ['list 1', 10, 18, OPEN, 'unstated'],
        ],
      ],
      [
        'of a list that is there again after a time without a list leaves out that time',
        [
          ...shown,
          source('NOT_AGGREGATOR', 65, []),
          watched(66, 300, []),
          source('AVAILABLE', 310, [[0, 60, 310]]),
        ],
        [
          ['list 0', 0, 60, 65, 'unstated'],
          ['NOT_AGGREGATOR', 65, 300, 300],
          ['list 0', 300, 310, OPEN, 'unstated'],
        ],
      ],
      [
        'of a list that begins again after a time without a list leaves nothing unproven in that time',
        [
          ...shown,
          source('NOT_AGGREGATOR', 65, []),
          watched(66, 300, []),
          reset(60, 310, 1, looks(301, 310, [[1, 310, 310]])),
        ],
        [
          ['list 0', 0, 60, 65, 'unstated'],
          ['NOT_AGGREGATOR', 65, 308, 310],
          ['list 1', 310, 310, OPEN, 'unstated'],
        ],
      ],
    ];

    it.each(cases)('coverage %s', (_what, told, expected) => expectStretches(told, expected));

    async function expectStretches(
      told: readonly Told[],
      expected: (typeof cases)[number][2],
    ): Promise<void> {
      const log = told.map(
        (event, index) => ({ ...event, position: BigInt(index + 1) }) as unknown as RecordedEvent,
      );
      const seconds = (column: string) => `round(extract(epoch FROM ${column}) - ${MINUTE_MS / 1000})::int`;
      for (const batchSize of [100, 1]) {
        await dataSource.query('TRUNCATE coverage_interval, coverage_fold');
        await project(log, batchSize, [new CoverageProjection()]);
        const found = await dataSource.query<Record<string, number | string | boolean | null>[]>(
          `SELECT coalesce('list ' || list, kind) AS list, ${seconds('from_at')} AS "from", ${seconds('to_at')} AS "to",
                  ${seconds('until_at')} AS until, unstated
             FROM coverage_interval WHERE kind <> 'HOLE' ORDER BY number`,
        );
        const sorted = found.map(({ list, from, to, until, unstated }) => [
          list,
          from,
          to,
          until,
          ...(unstated ? ['unstated'] : []),
        ]);
        expect(sorted).toEqual(expected);
      }
    }
  });

  it('add up the probes of one minute', async () => {
    await project(toldBeside(0), 1);
    const [row] = await dataSource.query<Record<string, unknown>[]>('SELECT * FROM probe_minute');
    expect(row).toMatchObject({ ok: 17, failed: 2, latency_count: 16, min_ms: 1, max_ms: 30.5, p99_ms: 30 });
    expect(row?.['mean_ms']).toBeCloseTo((12 * 4 + 4 * 8) / 16);
  });

  it('keep a claim of a node as the node said it, and since when', async () => {
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

/** The events of a node, each followed by the same event of another node of its chain. */
function atTwoAddresses(events: readonly RecordedEvent[]): RecordedEvent[] {
  return events.flatMap((event) => {
    const body = event.type === 'NodeRegistered' ? { ...event.body, chain: 'lab-1' } : event.body;
    return ['recorded', 'again'].map((node, index) => ({
      ...event,
      body,
      stream: event.stream.replace(/^[^/]+/, node),
      position: event.position * 2n + BigInt(index) - 1n,
    }));
  }) as RecordedEvent[];
}

/** Stories of several nodes as one log. */
function tellTogether(stories: Readonly<Record<string, HealthStory>>): RecordedEvent[] {
  return Object.entries(stories)
    .flatMap(([node, { events }]) =>
      events.map((event) => ({ ...event, stream: event.stream.replace('told', node) })),
    )
    .sort((a, b) => Number(a.observedAt - b.observedAt))
    .map((event, index) => ({ ...event, position: BigInt(index + 1) }));
}

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

type Told = ReturnType<typeof tell>;

function tell(stream: string, type: NewEvent['type'], second: number, body: object) {
  const at = BigInt(MINUTE_MS + second * 1000) * 1000n;
  return { stream, version: 1n, schema: 1, type, observedAt: at, recordedAt: at, body };
}
