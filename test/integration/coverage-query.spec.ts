import { bucketStarts, nextBucket } from '../../src/domain/statistics/time-buckets.js';
import type { StretchKind } from '../../src/domain/coverage/list-coverage.js';
import { onConnection, type Database } from '../../src/platform/sql.js';
import { CoverageQuery } from '../../src/api/coverage/coverage.query.js';
import { ChainNodesQuery } from '../../src/statistics/read/chain-nodes.query.js';
import type { BucketRange } from '../../src/statistics/read/plan/grouped-rows.js';
import {
  getCoverage,
  type CoverageRequest,
  coveredTimes,
} from '../../src/statistics/read/coverage/coverage.query.js';
import { getLost, type Lost } from '../../src/statistics/read/coverage/losses.query.js';
import { emptyTables } from '../support/empty-tables.js';
import { ManualClock } from '../support/manual-clock.js';
import { blockRow, coverageFoldRow, insertRows } from '../support/read-model-rows.js';
import { seededRandom } from '../support/seeded-random.js';
import {
  plainParts,
  randomStretches,
  writeStretches,
  type PlainPart,
  type ToldStretch,
} from '../support/told-stretches.js';
import { useDatabase } from '../support/use-database.js';

const HOUR = 3_600_000_000n;
const START = BigInt(Date.UTC(2026, 9, 24)) * 1000n;
const timeOf = (hours: number): string => `to_timestamp(${Number(START / 1_000_000n) + hours * 3600})`;
const at = (hours: number): bigint => START + BigInt(Math.round(hours * 3_600_000_000));

/** A stretch of a list: times in hours from START. */
interface Told {
  readonly kind?: StretchKind;
  /** By default, the list is its own. */
  readonly ring?: string;
  readonly from: number;
  readonly to: number;
  /** Null: nothing has ended the unproven time after the stretch. Left out: the next stretch of the list ends it. */
  readonly until?: number | null;
}

/** A gap, in hours from START. */
interface Hole {
  readonly nodeKey: number;
  readonly from: number | null;
  readonly to: number;
  readonly min: number;
  readonly likely?: number;
  readonly kind?: string;
  /** A version that a later version replaced. */
  readonly replaced?: boolean;
}

/** Buckets of one day in UTC, six hours of it, by the hour. */
const SIX_HOURS: BucketRange = {
  bucketStarts: Array.from({ length: 6 }, (_, hour) => at(hour)),
  endUs: at(6),
  fromUs: at(0),
  toUs: at(6),
  nowUs: at(1000),
};

describe('coverage and losses by buckets', () => {
  const dataSource = useDatabase();

  beforeEach(() =>
    emptyTables(dataSource, ['node', 'lineage', 'block', 'coverage_interval', 'coverage_fold', 'loss']),
  );

  /** Nodes with their chains, null for a node that has not named its chain; their keys count from 1. */
  async function addNodes(nodes: Readonly<Record<string, string | null>>): Promise<void> {
    await dataSource.query(
      `INSERT INTO node (node_key, id, url, chain_id, from_position)
       SELECT number, id, 'http://' || id, chain, number FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS n (id, chain, number)`,
      [Object.keys(nodes), Object.values(nodes)],
    );
  }

  /** Stretches of a node, in hours from START; each one continues the previous stretch with the same ring. */
  async function tell(node: string, ...told: readonly Told[]): Promise<void> {
    const stretches = told.map(
      ({ kind = 'LIST', ring = kind === 'LIST' ? `${node}/0` : `${node}/-`, from, to, until }, index) => {
        const next = told.slice(index + 1).find((other) => (other.ring ?? `${node}/0`) === ring)?.from;
        const end = until === undefined ? (next ?? null) : until;
        return { node, kind, ring, from: at(from), to: at(to), until: end === null ? null : at(end) };
      },
    );
    await writeStretches(dataSource, stretches);
  }

  /** One list, proven in these hours alone. */
  const cover = (node: string, ...hours: [number, number][]): Promise<void> =>
    tell(node, ...hours.map(([from, to]) => ({ from, to })));

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
    onConnection(dataSource, async (query) => {
      const found = await getCoverage(query, { ...SIX_HOURS, by: 'NODE', ...request });
      return new Map([...found].map(([key, buckets]) => [key, buckets.map(({ share }) => share)]));
    });
  const lost = (request: Partial<CoverageRequest>): Promise<Map<string, Lost[]>> =>
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

    it('counts from the first block of the chain, or from the first thing known about an earlier block', async () => {
      await addNodes({ a: 'alpha', b: 'beta', c: 'gamma' });
      await insertRows(dataSource, 'lineage', [
        { lineage_key: 1, chain_id: 'alpha', n: 1, from_position: 1 },
        { lineage_key: 2, chain_id: 'beta', n: 1, from_position: 1 },
        { lineage_key: 3, chain_id: 'gamma', n: 2, from_position: 1 },
      ]);
      for (const key of [1, 2, 3]) {
        const block = { node_key: key, lineage_key: key, time_ns: `${at(1.5) * 1000n}`, from_position: 5 };
        await insertRows(dataSource, 'block', [blockRow(1, block)]);
      }
      await cover('a', [1.5, 1.75], [2, 6]);
      // The node was polled before the time in the block: its proposer's clock was wrong.
      await cover('b', [1.25, 1.5], [2, 6]);
      // This is not its first history: the chain existed before.
      await cover('c', [1.5, 1.75], [2, 6]);
      const [a, b, c] = [
        [0, 0.5, 1, 1, 1, 1],
        [0, 1 / 3, 1, 1, 1, 1],
        [0, 0.25, 1, 1, 1, 1],
      ];
      expect(await coverage({ by: 'CHAIN' })).toEqual(
        new Map([
          ['alpha', a],
          ['beta', b],
          ['gamma', c],
        ]),
      );
      // Coverage of all chains together is over the time in which each of them existed.
      expect((await coverage({ by: 'ALL', bucketStarts: [at(0)] })).get('')?.[0]).toBeCloseTo(
        12.75 / (4.5 + 4.75 + 6),
        9,
      );
    });

    it('of a chain is the time in which no list of any of its nodes is unproven', async () => {
      await addNodes({ a: 'alpha', b: 'alpha', c: 'beta' });
      await cover('a', [0, 2.5], [3, 4]);
      await cover('b', [1, 2], [2.25, 3.5], [5.25, 5.5]);
      await cover('c', [0, 0.5]);
      // a alone until 1, then both: up to 2, from 2.25 to 2.5, and from 3 to 3.5.
      expect(await coverage({ by: 'CHAIN' })).toEqual(
        new Map([
          ['alpha', [1, 1, 0.25, 0.5, 0, 0]],
          ['beta', [0.5, 0, 0, 0, 0, 0]],
        ]),
      );
    });

    it('of a chain counts a node from its first contact until it is retired', async () => {
      await addNodes({ a: 'alpha', b: 'alpha', never: 'alpha' });
      await cover('a', [0, 6]);
      await tell('b', { from: 1.5, to: 2 }, { from: 2.25, to: 3, until: 3.5 });
      expect((await coverage({ by: 'CHAIN' })).get('alpha')).toEqual([1, 1, 0.75, 0.5, 1, 1]);
    });

    it('of a node covers all lists behind its address', async () => {
      await addNodes({ a: 'alpha' });
      // The second list exists next to the first from 2 on. It is out of sight since 4, and the first since 5.
      await tell('a', { from: 0, to: 5 }, { ring: 'a/1', from: 2, to: 3 }, { ring: 'a/1', from: 3.5, to: 4 });
      expect((await coverage({})).get('a')).toEqual([1, 1, 1, 0.5, 0, 0]);
    });

    it('of a node that says it is no aggregator is zero, and leaves a chain to the other nodes', async () => {
      await addNodes({ a: 'alpha', b: 'alpha' });
      await cover('a', [0, 6]);
      // From 3 to 4 the node was not heard saying this, so it may have been an aggregator.
      await tell(
        'b',
        { from: 0, to: 1, until: 1 },
        { kind: 'NOT_AGGREGATOR', from: 1, to: 3, until: 4 },
        { from: 4, to: 6 },
      );
      expect(await coverage({})).toEqual(
        new Map([
          ['a', [1, 1, 1, 1, 1, 1]],
          ['b', [1, 0, 0, 0, 1, 1]],
        ]),
      );
      expect((await coverage({ by: 'CHAIN' })).get('alpha')).toEqual([1, 1, 1, 0, 1, 1]);
    });

    it('is zero where no node counts', async () => {
      await addNodes({ a: 'alpha', b: 'alpha' });
      await tell('a', { from: 1, to: 2, until: 2 });
      await tell('b', { kind: 'NOT_AGGREGATOR', from: 0, to: 6 });
      expect((await coverage({ by: 'CHAIN' })).get('alpha')).toEqual([0, 1, 0, 0, 0, 0]);
    });

    it('is zero where a node of the chain answers but its list was never seen', async () => {
      await addNodes({ a: 'alpha', b: 'alpha' });
      await cover('a', [0, 6]);
      await tell('b', { kind: 'UNSEEN', from: 2, to: 2, until: 4.5 }, { from: 4.5, to: 6 });
      expect((await coverage({})).get('b')).toEqual([0, 0, 0, 0, 0.5, 1]);
      expect((await coverage({ by: 'CHAIN' })).get('alpha')).toEqual([1, 1, 0, 0, 0.5, 1]);
    });

    it('of one list that two nodes show is what either node saw', async () => {
      await addNodes({ a: 'alpha', b: 'alpha', c: 'alpha' });
      await tell('a', { ring: 'one', from: 0, to: 1 }, { ring: 'one', from: 2, to: 3 });
      await tell('b', { ring: 'one', from: 0.5, to: 2.5 }, { ring: 'one', from: 3.5, to: 5 });
      expect((await coverage({ by: 'CHAIN' })).get('alpha')).toEqual([1, 1, 1, 0.5, 1, 0]);
      expect((await coverage({})).get('a')).toEqual([1, 0, 1, 0, 0, 0]);
      // Neither of them makes up for what another list lacks.
      await cover('c', [0, 1], [1.5, 6]);
      expect((await coverage({ by: 'CHAIN' })).get('alpha')).toEqual([1, 0.5, 1, 0.5, 1, 0]);
    });

    it('by the polls known at a time ends with these polls, and ignores what later ended unproven time', async () => {
      await tell('a', { from: 0, to: 2, until: 4 }, { ring: 'a/1', from: 4, to: 6 });
      await tell('b', { from: 0, to: 6 });
      const coveredAt = async (known: Readonly<Record<string, number>>): Promise<unknown> => {
        const members = Object.entries(known).map(([node, hours]) => `(1, '${node}', ${timeOf(hours)})`);
        const from = `(VALUES ${members.join(', ')}) AS member (unit, node, known_to)`;
        const rows = await dataSource.query<{ from: number; to: number }[]>(
          `SELECT extract(epoch FROM lower(part) - ${timeOf(0)})::float8 / 3600 AS from,
                  extract(epoch FROM upper(part) - ${timeOf(0)})::float8 / 3600 AS to
             FROM (${coveredTimes(from, timeOf(-1), timeOf(9))}) AS of_unit, unnest(covered) AS part`,
        );
        return rows.map(({ from: start, to }) => `${start}-${to}`).join(' ');
      };
      expect(await coveredAt({ a: 9, b: 9 })).toBe('0-2 4-6');
      expect(await coveredAt({ a: 1, b: 9 })).toBe('0-1');
      expect(await coveredAt({ a: 3, b: 9 })).toBe('0-2');
      expect(await coveredAt({ a: 4.5, b: 9 })).toBe('0-2 4-4.5');
      expect(await coveredAt({ a: 9, b: 5 })).toBe('0-2 4-5');
      expect(await coveredAt({ a: -1, b: 5 })).toBe('0-5');
    });

    it('of everything is the mean of the chains, and a node without a chain counts as one', async () => {
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

    it('of named nodes is their mean, even if they are of one chain', async () => {
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

    it('is 0 for future buckets, and for an empty range', async () => {
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
      await writeStretches(dataSource, [
        { node: 'a', kind: 'LIST', ring: 'a/0', from: at(0) + 1n, to: at(2), until: null },
      ]);
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
      await cover('a', [21, 23]);
      const range = { bucketStarts: starts, endUs, fromUs: from, toUs: endUs };
      expect((await coverage(range)).get('a')).toEqual([1 / 24, 1 / 25]);
    });

    it('equals a check of each moment by itself, for many random stretches, chains and buckets', async () => {
      const random = seededRandom(5);
      const chains: Record<string, string | null> = {
        a: 'alpha',
        b: 'alpha',
        c: 'beta',
        d: null,
        e: 'alpha',
      };
      await addNodes(chains);
      const stretches = Object.keys(chains).flatMap((node) => randomStretches(node, START, random));
      // The second list of a is the first of b, and c alone was not seen at first.
      const told = stretches.map((each) => (each.ring === 'a/1' ? { ...each, ring: 'b/0' } : each));
      told.push({
        node: 'c',
        kind: 'UNSEEN',
        ring: 'c/-',
        from: START,
        to: START,
        until: START + 30n * HOUR,
      });
      await writeStretches(dataSource, told);
      const units = [...Object.keys(chains).map((id) => [id]), ['a', 'b', 'e']];
      const parts = new Map(units.map((nodes) => [nodes.join(), plainParts(told, nodes)]));
      expect([...parts.values()].every((each) => each.some(({ isCovered }) => isCovered))).toBe(true);
      for (let run = 0; run < 25; run++) {
        const zone = ['UTC', 'Asia/Kathmandu', 'Europe/Berlin'][run % 3] ?? 'UTC';
        const size = (['HOUR', 'DAY', 'QUARTER_HOUR'] as const)[(run + (run >> 2)) % 3] ?? 'DAY';
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
        const shares = (nodes: readonly string[]): number[] =>
          plainShares(parts.get(nodes.join()) ?? [], range);
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

    it('reads few numbers even with an interval for each of two hundred thousand polls', async () => {
      await addNodes({ a: 'alpha', b: 'alpha' });
      await dataSource.query(
        `INSERT INTO coverage_interval (node, number, kind, list, ring, from_at, to_at, until_at, unstated, after_sequence)
         SELECT node, n, 'LIST', 0, node || '/0', from_at, from_at + interval '4 seconds', from_at + interval '8 seconds', false, 0
           FROM unnest(ARRAY['a', 'b']) AS node, generate_series(0, 99999) AS n,
                LATERAL (SELECT to_timestamp($1::float8) + n * interval '8 seconds' + CASE node WHEN 'a' THEN interval '0' ELSE '2 seconds' END) AS t (from_at)`,
        [Number(START / 1_000_000n)],
      );
      // For the first two seconds only one of them was there. From then on both are proven for two of eight.
      const week = { bucketStarts: [at(0), at(100), at(200)], endUs: at(222), fromUs: at(0), toUs: at(222) };
      expect(await coverage({ ...week })).toEqual(new Map(['a', 'b'].map((id) => [id, [0.5, 0.5, 0.5]])));
      expect(await coverage({ ...week, by: 'CHAIN' })).toEqual(
        new Map([['alpha', [90_002 / 360_000, 0.25, 0.25]]]),
      );
    });
  });

  describe('gaps', () => {
    /** @param presentUs Unix microseconds */
    const queryAt = (presentUs: bigint): CoverageQuery => {
      const source = dataSource as Database;
      const clock = new ManualClock(Number(presentUs / 1000n));
      return new CoverageQuery(source, new ChainNodesQuery(source), { clock });
    };

    it('fill, together with the covered times, all requested time up to the present, once for each node', async () => {
      const random = seededRandom(8);
      const chains = { a: 'alpha', b: 'alpha', c: 'beta', e: 'alpha', never: null };
      await addNodes(chains);
      const told = ['a', 'b', 'c', 'e'].flatMap((node) => randomStretches(node, START, random));
      const shared = told.map((each) => (each.ring === 'a/1' ? { ...each, ring: 'e/0' } : each));
      await writeStretches(dataSource, shared);
      const asked: [{ readonly node?: string; readonly chain?: string }, string[]][] = [
        [{ node: 'a' }, ['a']],
        [{ node: 'b' }, ['b']],
        [{ node: 'never' }, ['never']],
        [{ chain: 'alpha' }, ['a', 'b', 'e']],
        [{ chain: 'beta' }, ['c']],
      ];
      for (const [args, nodes] of asked) {
        const last = await lookAtAll(nodes, shared);
        const begin = START - HOUR;
        const present = last + HOUR;
        const query = queryAt(present);
        const covered = (await query.getCoverage(args)).map(({ from, to }) => ({
          from: from / 1000n,
          to: to / 1000n,
        }));
        const gaps = (await query.getGaps({ ...args, from: begin * 1000n })).map(
          ({ from, to, node, reason }) => ({ node, reason, from: from / 1000n, to: to / 1000n }),
        );
        let [isUncovered, isNamed] = [0, 0];
        for (const part of plainParts(shared, nodes, [begin, last, present])) {
          const lies = (of: { from: bigint; to: bigint }) => of.from <= part.from && of.to >= part.to;
          expect([part, covered.some(lies)]).toEqual([part, part.isCovered]);
          const found = gaps.filter(lies);
          expect([part, found.length > 0]).toEqual([part, !part.isCovered]);
          expect(new Set(found.map(({ node }) => node)).size).toBe(found.length);
          const named = new Set(
            found.flatMap(({ node, reason }) =>
              node === null || /so there is nothing to cover|^Not monitored/.test(reason) ? [] : [node],
            ),
          );
          expect([part, [...named].sort()]).toEqual([part, [...new Set(part.unproven)].sort()]);
          if (!part.isCovered) isUncovered += 1;
          if (named.size > 0) isNamed += 1;
        }
        const ends = gaps.flatMap(({ from, to }) => [from, to]).toSorted((x, y) => (x < y ? -1 : 1));
        expect([ends[0], ends.at(-1)]).toEqual([begin, present]);
        if (nodes.includes('never')) continue;
        expect(isUncovered).toBeGreaterThan(20);
        expect(isNamed).toBeGreaterThan(10);
        // Joined where they touch, and cut to the requested time.
        expect(covered.every(({ from }, index) => index === 0 || from > (covered[index - 1]?.to ?? 0n))).toBe(
          true,
        );
        const [from, to] = [at(50), at(150)];
        const cut = await query.getCoverage({ ...args, from: from * 1000n, to: to * 1000n });
        const inside = covered.map((each) => ({
          from: each.from > from ? each.from : from,
          to: each.to < to ? each.to : to,
        }));
        expect(cut.map((each) => [each.from / 1000n, each.to / 1000n])).toEqual(
          inside.filter((each) => each.from < each.to).map((each) => [each.from, each.to]),
        );
      }
    });

    it('appear once where an event states a gap that the list itself also shows', async () => {
      await addNodes({ a: 'alpha' });
      // The event states the same gap by other polls.
      await tell(
        'a',
        { from: 0, to: 1, until: 2 },
        { kind: 'HOLE', ring: 'a/0', from: 1.000_01, to: 1.000_01, until: 1.999 },
        { from: 2, to: 3, until: null },
      );
      for (const asked of [{ node: 'a' }, { chain: 'alpha' }]) {
        const gaps = await queryAt(at(3)).getGaps(asked);
        expect(gaps.map(({ from, to, node }) => [from / 1000n, to / 1000n, node])).toEqual([
          [at(1), at(2), 'a'],
        ]);
      }
    });

    /** Sets the last poll of these nodes to a moment shortly after everything in `told`. */
    async function lookAtAll(nodes: readonly string[], told: readonly ToldStretch[]): Promise<bigint> {
      const ends = told.filter(({ node }) => nodes.includes(node)).map(({ to, until }) => until ?? to);
      const last = ends.reduce((x, y) => (x > y ? x : y), START) + 1_000_000n;
      await emptyTables(dataSource, ['coverage_fold']);
      const lookedAt = new Date(Number(last / 1000n)).toISOString();
      await insertRows(
        dataSource,
        'coverage_fold',
        nodes.map((node) => coverageFoldRow(node, lookedAt)),
      );
      return (last / 1000n) * 1000n;
    }
  });

  describe('losses', () => {
    it('of a node are in the bucket of the poll that found them', async () => {
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

    it('are the current ones, without those from before the first poll', async () => {
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

    it('of a chain are zero if its other nodes together saw the whole time of the same list', async () => {
      await addNodes({ a: 'alpha', b: 'alpha', c: 'alpha', d: 'beta' });
      const ring = 'one';
      await tell('a', { ring, from: 0, to: 1 }, { ring, from: 2, to: 3 }, { ring, from: 3.5, to: 6 });
      await tell('b', { ring, from: 0.5, to: 1.5, until: 1.5 });
      await tell('c', { ring, from: 1.5, to: 3.25, until: 3.25 });
      await cover('d', [0, 6]);
      await lose(
        { nodeKey: 1, from: 1, to: 2, min: 3, likely: 4 },
        { nodeKey: 1, from: 3, to: 3.5, min: 5, likely: 6 },
      );
      const partly = { holes: 1, minLost: 5n, likelyLost: 6n, withoutEstimate: 0 };
      expect((await lost({ by: 'CHAIN' })).get('alpha')).toEqual([NONE, NONE, NONE, partly, NONE, NONE]);
      expect((await lost({ by: 'ALL' })).get('')?.[3]).toEqual(partly);
      expect((await lost({ by: 'NODE' })).get('a')?.[2]?.minLost).toBe(3n);
      // Named nodes are added up, each with its own losses.
      expect((await lost({ by: 'ALL', nodes: ['a', 'b'] })).get('')?.[2]?.minLost).toBe(3n);
    });

    it('of a chain count if only another list, or another chain, was seen throughout', async () => {
      await addNodes({ a: 'alpha', b: 'alpha', c: null, d: null });
      await cover('a', [0, 1], [2, 6]);
      await cover('b', [0, 6]);
      await tell('c', { ring: 'one', from: 0, to: 1 }, { ring: 'one', from: 2, to: 6 });
      await tell('d', { ring: 'one', from: 0, to: 6 });
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

/** The covered share of each bucket, one bucket after the other. */
function plainShares(
  parts: readonly PlainPart[],
  { bucketStarts: starts, endUs, fromUs, toUs, nowUs }: BucketRange,
): number[] {
  return starts.map((start, index) => {
    const from = start > fromUs ? start : fromUs;
    const to = [starts[index + 1] ?? endUs, toUs, nowUs].reduce((a, b) => (a < b ? a : b));
    let covered = 0n;
    for (const part of parts.filter(({ isCovered }) => isCovered)) {
      const begin = part.from > from ? part.from : from;
      const end = part.to < to ? part.to : to;
      if (end > begin) covered += end - begin;
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
