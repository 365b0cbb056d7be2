import { bucketStarts, nextBucket } from '../../src/domain/statistics/time-buckets.js';
import { onConnection } from '../../src/platform/sql.js';
import { columnsOf } from '../../src/platform/rows/row-columns.js';
import type { BucketRange } from '../../src/statistics/read/watch/bucket-edges.js';
import { getCoverage, type CoverageRequest } from '../../src/statistics/read/watch/coverage.query.js';
import { getLost, type Lost, type LostRequest } from '../../src/statistics/read/watch/losses.query.js';
import { CoverageIntervalEntity } from '../../src/tables/health/coverage-interval.entity.js';
import { seededRandom } from '../support/seeded-random.js';
import { useDatabase } from '../support/use-database.js';

const HOUR = 3_600_000_000n;
const START = BigInt(Date.UTC(2026, 9, 24)) * 1000n;
const at = (hours: number): bigint => START + BigInt(Math.round(hours * 3_600_000_000));

/** Unix microseconds; the end is excluded. */
interface Interval {
  readonly node: string;
  readonly fromUs: bigint;
  readonly toUs: bigint;
  readonly position: number;
}

const INTERVAL_COLUMNS = columnsOf(CoverageIntervalEntity, 'node', 'fromAt', 'toAt', 'fromPosition');

/** Hours from START; open: the one that goes on. */
interface Hole {
  readonly nodeKey: number;
  readonly from: number | null;
  readonly to: number;
  readonly min: number;
  readonly likely?: number;
  readonly kind?: string;
  /** A version that a later one replaced. */
  readonly replaced?: boolean;
}

/** Buckets of a day in UTC, six hours of it, by the hour. */
const SIX_HOURS: BucketRange = {
  bucketStarts: Array.from({ length: 6 }, (_, hour) => at(hour)),
  endUs: at(6),
  fromUs: at(0),
  toUs: at(6),
  nowUs: at(1000),
};

describe('coverage and losses by buckets', () => {
  const dataSource = useDatabase();

  beforeEach(() => dataSource.query('TRUNCATE node, coverage_interval, loss'));

  /** Nodes with their chains, null for one that has not said it; their keys count from 1. */
  async function addNodes(nodes: Readonly<Record<string, string | null>>): Promise<void> {
    await dataSource.query(
      `INSERT INTO node (node_key, id, url, chain_id, from_position)
       SELECT number, id, 'http://' || id, chain, number FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS n (id, chain, number)`,
      [Object.keys(nodes), Object.values(nodes)],
    );
  }

  async function cover(node: string, ...hours: [number, number][]): Promise<void> {
    await addIntervals(
      hours.map(([from, to], position) => ({ node, fromUs: at(from), toUs: at(to), position })),
    );
  }

  async function addIntervals(intervals: readonly Interval[]): Promise<void> {
    const { sql, names, parameters } = INTERVAL_COLUMNS.unnest(
      intervals.map(({ node, fromUs: fromAt, toUs: toAt, position }) => ({
        node,
        fromAt,
        toAt,
        fromPosition: BigInt(position),
      })),
    );
    await dataSource.query(
      `INSERT INTO coverage_interval (${names}, available, to_position) SELECT ${names}, true, from_position FROM ${sql}`,
      [...parameters],
    );
  }

  async function lose(...holes: Hole[]): Promise<void> {
    for (const [index, hole] of holes.entries()) {
      await dataSource.query(
        `INSERT INTO loss (loss_position, node_key, kind, after_sequence, min_lost, likely_lost, from_at, to_at,
                           from_position, to_position)
         SELECT $1, $2, $3, 0, $4, $5, $6::timestamptz, $7::timestamptz, $8, $9`,
        [
          index,
          hole.nodeKey,
          hole.kind ?? 'OVERFLOW',
          hole.min,
          hole.likely ?? null,
          hole.from === null ? null : new Date(Number(at(hole.from) / 1000n)),
          new Date(Number(at(hole.to) / 1000n)),
          index,
          hole.replaced ? index + 100 : null,
        ],
      );
    }
  }

  const coverage = (request: Partial<CoverageRequest>): Promise<Map<string, number[]>> =>
    onConnection(dataSource, (query) => getCoverage(query, { ...SIX_HOURS, by: 'NODE', ...request }));
  const lost = (request: Partial<LostRequest>): Promise<Map<string, Lost[]>> =>
    onConnection(dataSource, (query) => getLost(query, { ...SIX_HOURS, by: 'NODE', ...request }));

  describe('coverage', () => {
    it('of a node is the share of each bucket that its intervals cover', async () => {
      await addNodes({ a: 'alpha', b: 'alpha', silent: null });
      await cover('a', [0.5, 1.25], [1.5, 4.75], [4.75, 5]);
      await cover('b', [-3, 99]);
      expect(await coverage({})).toEqual(
        new Map([
          ['a', [0.5, 0.75, 1, 1, 1, 0]],
          ['b', [1, 1, 1, 1, 1, 1]],
          ['silent', [0, 0, 0, 0, 0, 0]],
        ]),
      );
      expect([...(await coverage({ nodes: ['b', 'nobody'] })).keys()]).toEqual(['b']);
      expect([...(await coverage({ chains: ['alpha'] })).keys()]).toEqual(['a', 'b']);
      expect([...(await coverage({ chains: ['alpha'], nodes: ['a', 'silent'] })).keys()]).toEqual(['a']);
      expect([...(await coverage({ chains: [''] })).keys()]).toEqual(['silent']);
    });

    it('of a chain is that of its nodes together, each moment once', async () => {
      await addNodes({ a: 'alpha', b: 'alpha', c: 'beta' });
      await cover('a', [0, 2.5], [3, 4]);
      await cover('b', [1, 2], [2.25, 3.5], [5.25, 5.5]);
      await cover('c', [0, 0.5]);
      expect(await coverage({ by: 'CHAIN' })).toEqual(
        new Map([
          ['alpha', [1, 1, 1, 1, 0, 0.25]],
          ['beta', [0.5, 0, 0, 0, 0, 0]],
        ]),
      );
    });

    it('of all is the mean of the chains, where a node without one counts as one', async () => {
      await addNodes({ a: 'alpha', b: 'alpha', c: 'beta', d: null, e: null });
      await cover('a', [0, 6]);
      await cover('b', [0, 6]);
      await cover('c', [1, 2]);
      await cover('d', [1, 3]);
      expect(await coverage({ by: 'ALL' })).toEqual(
        new Map([['', [1 / 4, 3 / 4, 2 / 4, 1 / 4, 1 / 4, 1 / 4]]]),
      );
      expect(await coverage({ by: 'CHAIN', chains: [''] })).toEqual(new Map([['', [0, 0.5, 0.5, 0, 0, 0]]]));
    });

    it('of named nodes is their mean, also where they are of one chain', async () => {
      await addNodes({ a: 'alpha', b: 'alpha', c: 'beta' });
      await cover('a', [0, 6]);
      const means = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5];
      expect(await coverage({ by: 'ALL', nodes: ['a', 'b'] })).toEqual(new Map([['', means]]));
      expect(await coverage({ by: 'CHAIN', nodes: ['a', 'b'] })).toEqual(new Map([['alpha', means]]));
    });

    it('counts the part of a bucket that lies within the range and before now', async () => {
      await addNodes({ a: 'alpha' });
      await cover('a', [0, 0.5], [1, 2.75]);
      const cut = { fromUs: at(0.25), toUs: at(4), nowUs: at(2.5) };
      expect((await coverage(cut)).get('a')).toEqual([1 / 3, 1, 1, 0, 0, 0]);
    });

    it('is 0 for what is yet to come, and where the range is empty', async () => {
      await addNodes({ a: 'alpha' });
      await cover('a', [0, 6]);
      for (const part of [
        { nowUs: at(-1) },
        { fromUs: at(3), toUs: at(3) },
        { fromUs: at(5), nowUs: at(2) },
      ]) {
        expect(await coverage(part)).toEqual(new Map([['a', [0, 0, 0, 0, 0, 0]]]));
      }
      expect(await coverage({ bucketStarts: [], endUs: at(0) })).toEqual(new Map([['a', []]]));
    });

    it('has no groups without nodes', async () => {
      expect(await coverage({ by: 'ALL' })).toEqual(new Map());
      await addNodes({ a: 'alpha' });
      expect(await coverage({ by: 'CHAIN', chains: ['beta'] })).toEqual(new Map());
      expect(await coverage({ by: 'NODE', nodes: [] })).toEqual(new Map());
    });

    it('is 1 only when not a microsecond is missing', async () => {
      await addNodes({ a: 'alpha' });
      await addIntervals([{ node: 'a', fromUs: at(0) + 1n, toUs: at(2), position: 0 }]);
      const [first, second] = (await coverage({})).get('a') ?? [];
      expect(first).toBeLessThan(1);
      expect(first).toBeGreaterThan(0.999_999);
      expect(second).toBe(1);
    });

    it('of days of 23, 24 and 25 hours is the share of these', async () => {
      await addNodes({ a: 'alpha' });
      const zone = 'Europe/Berlin';
      // The 25th of October 2026 has 25 hours there.
      const from = at(-2);
      const starts = bucketStarts(from, at(46), 'DAY', zone, 9) ?? [];
      const endUs = nextBucket(starts.at(-1) ?? 0n, 'DAY', zone);
      await addIntervals([{ node: 'a', fromUs: from + 23n * HOUR, toUs: from + 25n * HOUR, position: 0 }]);
      const range = { bucketStarts: starts, endUs, fromUs: from, toUs: endUs };
      expect((await coverage(range)).get('a')).toEqual([1 / 24, 1 / 25]);
    });

    it('equals what a plain union and sweep give, for many random intervals, chains and buckets', async () => {
      const random = seededRandom(5);
      const chains: Record<string, string | null> = {
        a: 'alpha',
        b: 'alpha',
        c: 'beta',
        d: null,
        e: 'alpha',
      };
      await addNodes(chains);
      const intervals = Object.keys(chains).flatMap((node) => randomIntervals(node, random));
      await addIntervals(intervals);
      for (let run = 0; run < 25; run++) {
        const zone = ['UTC', 'Asia/Kathmandu', 'Europe/Berlin'][run % 3] ?? 'UTC';
        const size = (['HOUR', 'DAY', 'QUARTER'] as const)[(run + (run >> 2)) % 3] ?? 'DAY';
        const fromUs = at(Math.floor(random() * 200)) + BigInt(Math.floor(random() * 1e9));
        const toUs = fromUs + BigInt(1 + Math.floor(random() * 3e11));
        const nowUs = random() < 0.3 ? toUs - 1_000_000_000n : toUs + 1n;
        const starts = bucketStarts(fromUs, toUs, size, zone, 10_000) ?? [];
        const range = {
          bucketStarts: starts,
          endUs: nextBucket(starts.at(-1) ?? 0n, size, zone),
          fromUs,
          toUs,
          nowUs,
        };
        const shares = (nodes: readonly string[]): number[] => plainShares(intervals, nodes, range);
        expectClose(
          await coverage({ ...range, by: 'NODE' }),
          new Map(Object.keys(chains).map((id) => [id, shares([id])])),
        );
        const [alpha, beta, none] = [shares(['a', 'b', 'e']), shares(['c']), shares(['d'])];
        expectClose(
          await coverage({ ...range, by: 'CHAIN' }),
          new Map([
            ['alpha', alpha],
            ['beta', beta],
            ['', none],
          ]),
        );
        expectClose(await coverage({ ...range, by: 'ALL' }), new Map([['', meanOf([alpha, beta, none])]]));
      }
    });

    it('reads few numbers even where there is an interval for each of two hundred thousand looks', async () => {
      await addNodes({ a: 'alpha', b: 'alpha' });
      await dataSource.query(
        `INSERT INTO coverage_interval (node, from_at, to_at, available, from_position, to_position)
         SELECT node, from_at, from_at + interval '4 seconds', true, n, n + 1
           FROM unnest(ARRAY['a', 'b']) AS node, generate_series(0, 99999) AS n,
                LATERAL (SELECT to_timestamp($1::float8) + n * interval '8 seconds' + CASE node WHEN 'a' THEN interval '0' ELSE '4 seconds' END) AS t (from_at)`,
        [Number(START / 1_000_000n)],
      );
      const week = { bucketStarts: [at(0), at(100), at(200)], endUs: at(222), fromUs: at(0), toUs: at(222) };
      expect(await coverage({ ...week })).toEqual(new Map(['a', 'b'].map((id) => [id, [0.5, 0.5, 0.5]])));
      expect(await coverage({ ...week, by: 'CHAIN' })).toEqual(new Map([['alpha', [1, 1, 1]]]));
    });
  });

  describe('losses', () => {
    it('of a node lie in the bucket of the look that found them', async () => {
      await addNodes({ a: 'alpha', b: 'alpha' });
      await lose(
        { nodeKey: 1, from: 0.5, to: 1, min: 3, likely: 10 },
        { nodeKey: 1, from: 1.5, to: 1.9, min: 4, likely: 5 },
        { nodeKey: 1, from: 4, to: 5.9, min: 7 },
        { nodeKey: 1, from: -2, to: -0.1, min: 1000 },
        { nodeKey: 1, from: 5, to: 6, min: 1000 },
      );
      const found = await lost({});
      expect(found.get('b')).toEqual(Array.from({ length: 6 }, () => NONE));
      expect(found.get('a')).toEqual([
        NONE,
        { holes: 2, minLost: 7n, likelyLost: 15n, withoutEstimate: 0 },
        NONE,
        NONE,
        NONE,
        { holes: 1, minLost: 7n, likelyLost: 7n, withoutEstimate: 1 },
      ]);
    });

    it('are those that stand, and never what was there before the first look', async () => {
      await addNodes({ a: 'alpha' });
      await lose(
        { nodeKey: 1, from: 0.5, to: 1, min: 3, replaced: true },
        { nodeKey: 1, from: null, to: 1, min: 50, kind: 'BEFORE_START' },
        { nodeKey: 1, from: 0.5, to: 1, min: 0, likely: 2, kind: 'AMBIGUOUS' },
      );
      for (const by of ['NODE', 'CHAIN', 'ALL'] as const) {
        const [buckets] = [...(await lost({ by })).values()];
        expect(buckets?.[1]).toEqual({ holes: 1, minLost: 0n, likelyLost: 2n, withoutEstimate: 0 });
      }
    });

    it('of a chain are none where its other nodes together saw the whole time', async () => {
      await addNodes({ a: 'alpha', b: 'alpha', c: 'alpha', d: 'beta' });
      await cover('a', [0, 1], [2, 3], [3.5, 6]);
      await cover('b', [0.5, 1.5]);
      await cover('c', [1.5, 3.25]);
      await cover('d', [0, 6]);
      await lose(
        { nodeKey: 1, from: 1, to: 2, min: 3, likely: 4 },
        { nodeKey: 1, from: 3, to: 3.5, min: 5, likely: 6 },
      );
      const partly = { holes: 1, minLost: 5n, likelyLost: 6n, withoutEstimate: 0 };
      expect((await lost({ by: 'CHAIN' })).get('alpha')).toEqual([NONE, NONE, NONE, partly, NONE, NONE]);
      expect((await lost({ by: 'ALL' })).get('')?.[3]).toEqual(partly);
      expect((await lost({ by: 'NODE' })).get('a')?.[2]?.minLost).toBe(3n);
      // Named nodes are summed up, each with what it lost itself.
      expect((await lost({ by: 'ALL', nodes: ['a', 'b'] })).get('')?.[2]?.minLost).toBe(3n);
    });

    it('of a chain count where only the node itself, or another chain, saw the time around', async () => {
      await addNodes({ a: 'alpha', b: 'alpha', c: null, d: null });
      await cover('a', [0, 1], [2, 6]);
      await cover('b', [3, 6]);
      await cover('c', [0, 1], [2, 6]);
      await cover('d', [0, 6]);
      await lose({ nodeKey: 1, from: 1, to: 2, min: 1 }, { nodeKey: 3, from: 1, to: 2, min: 1 });
      const found = await lost({ by: 'CHAIN' });
      expect([found.get('alpha')?.[2]?.holes, found.get('')?.[2]?.holes]).toEqual([1, 1]);
    });

    it('found at once, without any time in between, count in full', async () => {
      await addNodes({ a: 'alpha', b: 'alpha' });
      await cover('a', [0, 1], [1, 6]);
      await lose({ nodeKey: 1, from: 1, to: 1, min: 2 });
      expect((await lost({ by: 'CHAIN' })).get('alpha')?.[1]?.minLost).toBe(2n);
    });
  });
});

const NONE: Lost = { holes: 0, minLost: 0n, likelyLost: 0n, withoutEstimate: 0 };

function randomIntervals(node: string, random: () => number): Interval[] {
  let end = START + BigInt(Math.floor(random() * 1e10));
  return Array.from({ length: 60 }, (_, position) => {
    const fromUs = end + BigInt(Math.floor(random() ** 4 * 4e10));
    end = fromUs + BigInt(Math.floor(random() ** 6 * 6e10));
    return { node, fromUs, toUs: end, position };
  });
}

/** What intervals of any of these nodes cover of each bucket, one bucket after the other. */
function plainShares(
  intervals: readonly Interval[],
  nodes: readonly string[],
  { bucketStarts: starts, endUs, fromUs, toUs, nowUs }: BucketRange,
): number[] {
  const ofNodes = intervals
    .filter(({ node }) => nodes.includes(node))
    .toSorted((a, b) => Number(a.fromUs - b.fromUs));
  return starts.map((start, index) => {
    const from = start > fromUs ? start : fromUs;
    const to = [starts[index + 1] ?? endUs, toUs, nowUs].reduce((a, b) => (a < b ? a : b));
    let covered = 0n;
    let reached = from;
    for (const interval of ofNodes) {
      const begin = interval.fromUs > reached ? interval.fromUs : reached;
      const end = interval.toUs < to ? interval.toUs : to;
      if (end <= begin) continue;
      covered += end - begin;
      reached = end;
    }
    return to > from ? Number(covered) / Number(to - from) : 0;
  });
}

function meanOf(lists: readonly (readonly number[])[]): number[] {
  return (lists[0] ?? []).map(
    (_, index) => lists.reduce((sum, list) => sum + (list[index] ?? 0), 0) / lists.length,
  );
}

function expectClose(
  found: ReadonlyMap<string, readonly number[]>,
  wanted: ReadonlyMap<string, readonly number[]>,
): void {
  expect([...found.keys()].toSorted()).toEqual([...wanted.keys()].toSorted());
  for (const [key, shares] of wanted) {
    const mine = found.get(key) ?? [];
    expect(mine).toHaveLength(shares.length);
    for (const [index, share] of shares.entries()) expect(mine[index]).toBeCloseTo(share, 9);
  }
}
