import type { ApiServer } from '../support/api-server.js';
import { ManualClock } from '../support/manual-clock.js';
import { blockRow, insertRows, lossRow, type TableRow } from '../support/read-model-rows.js';
import { recordFaults, type RiggedRecord } from '../support/rig/rigged-record.js';
import { seededRandom } from '../support/seeded-random.js';
import { StatisticsWorld } from '../support/statistics-world.js';
import { useApi } from '../support/use-database.js';

interface Row {
  readonly [figure: string]: unknown;
  readonly time: string;
  readonly coverage: number;
}

/** Figures that add up over time. */
const SUMS =
  'attempts successes failures reconstructed landed unreferenced unreadable blobCount sizeBytes sharesMin sharesMax reconstructedShares blocksProduced blocksIncluded transactions transactionsIncluded transactionBytes transactionBytesIncluded holes provenLost likelyLost'.split(
    ' ',
  );
const DISTRIBUTIONS = ['inclusionLagMs', 'submissionTimeMs', 'blobBytes'];
const FIELDS = `time node chain namespace kind status coverage counted decided ${SUMS.join(' ')} pendingAtEnd inclusionFrontierAtEnd
  gasPriceMin gasPriceMax gasPriceLast ${DISTRIBUTIONS.map((name) => `${name} { max count }`).join(' ')}`;
const GROUPS = ['[]', '[CHAIN]', '[NODE]', '[NODE, KIND, STATUS]', '[CHAIN, NAMESPACE]'];

const LENGTHS = { TEN_SECONDS: 10_000, MINUTE: 60_000, QUARTER_HOUR: 900_000 } as const;
type Bucket = keyof typeof LENGTHS;

async function read(
  api: Pick<ApiServer, 'read'>,
  bucket: Bucket,
  [from, to]: readonly [string, string],
  groupBy = '[]',
  more = '',
): Promise<Row[]> {
  const { statistics } = await api.read<{ statistics: Row[] }>(
    `{ statistics(bucket: ${bucket}, groupBy: ${groupBy}, from: "${from}", to: "${to}"${more}) { ${FIELDS} } }`,
  );
  return statistics;
}

function walkRow(nodeKey: number, lineageKey: number): TableRow {
  return {
    node_key: nodeKey,
    lineage_key: lineageKey,
    first_height: 1,
    last_height: 300,
    from_start: true,
    frontier: 100,
    gaps: '{}',
    header_holes: '{}',
    data_holes: '{}',
  };
}

/** The rows of longer buckets, added up from those of shorter ones; figures that are unknown in all of them stay unknown. */
function addUp(rows: readonly Row[], length: number): Map<string, Record<string, unknown>> {
  const sums = new Map<string, Row[]>();
  for (const row of rows) {
    const start = new Date(Math.floor(Date.parse(row.time) / length) * length).toISOString();
    const key = [start, row['node'], row['chain'], row['namespace'], row['kind'], row['status']].join(' ');
    sums.set(key, [...(sums.get(key) ?? []), row]);
  }
  return new Map([...sums].map(([key, parts]) => [key, addParts(parts)]));
}

function addParts(parts: readonly Row[]): Record<string, unknown> {
  const numbersOf = (name: string, part?: string): bigint[] =>
    parts.flatMap((row) => {
      const value = part === undefined ? row[name] : (row[name] as Record<string, unknown> | null)?.[part];
      return value === null || value === undefined ? [] : [BigInt(Math.round(Number(value) * 1_000))];
    });
  const sumOf = (found: readonly bigint[]): string | null =>
    found.length === 0 ? null : String(found.reduce((a, b) => a + b));
  const extremeOf = (found: readonly bigint[], sign: 1n | -1n): string | null =>
    found.length === 0 ? null : String(found.reduce((a, b) => (sign * a > sign * b ? a : b)));
  return {
    ...Object.fromEntries(SUMS.map((name) => [name, sumOf(numbersOf(name))])),
    ...Object.fromEntries(
      DISTRIBUTIONS.map((name) => [
        name,
        [sumOf(numbersOf(name, 'count')), extremeOf(numbersOf(name, 'max'), 1n)],
      ]),
    ),
    gasPriceMin: extremeOf(numbersOf('gasPriceMin'), -1n),
    gasPriceMax: extremeOf(numbersOf('gasPriceMax'), 1n),
    gasPriceLast: parts.findLast((row) => row['gasPriceLast'] !== null)?.['gasPriceLast'] ?? null,
    pendingAtEnd: parts.at(-1)?.['pendingAtEnd'],
    inclusionFrontierAtEnd: parts.at(-1)?.['inclusionFrontierAtEnd'],
    counted: parts.every((row) => row['counted']),
    decided: parts.every((row) => row['decided']),
  };
}

const meanOf = (rows: readonly Row[]): number =>
  rows.reduce((sum, { coverage }) => sum + coverage, 0) / Math.max(1, rows.length);

async function expectSameSums(api: ApiServer, range: readonly [string, string]): Promise<number> {
  let compared = 0;
  for (const groupBy of GROUPS) {
    const whole = addUp(await read(api, 'QUARTER_HOUR', range, groupBy), LENGTHS.QUARTER_HOUR);
    for (const bucket of ['MINUTE', 'TEN_SECONDS'] as const) {
      // A report has at most 10,000 rows.
      if (bucket === 'TEN_SECONDS' && groupBy !== '[]') continue;
      const parts = addUp(await read(api, bucket, range, groupBy), LENGTHS.QUARTER_HOUR);
      expect({ bucket, groupBy, sums: parts }).toEqual({ bucket, groupBy, sums: whole });
      compared += parts.size;
    }
  }
  return compared;
}

describe('statistics by minute and by ten seconds', () => {
  describe('of generated rows', () => {
    const START = Date.UTC(2026, 5, 10, 9, 30);
    const HOURS: readonly [string, string] = ['2026-06-10T10:00:00.000Z', '2026-06-10T12:00:00.000Z'];
    const clock = new ManualClock(Date.UTC(2026, 5, 10, 12, 30));
    const api = useApi({ clock });
    let world: StatisticsWorld;

    beforeAll(async () => {
      world = new StatisticsWorld(api.dataSource);
      await world.addNodes();
      await generate();
      await world.rollUp();
    }, 60_000);

    /** Three hours of two nodes of a chain and of one of another chain: all kinds, statuses and evidence, at odd moments. */
    async function generate(): Promise<void> {
      const random = seededRandom(7);
      const below = (count: number): number => Math.floor(random() * count);
      const moment = (): string => new Date(START + below(3 * 3_600_000)).toISOString();
      for (let group = 0; group < 90; group++) {
        const node = [1, 2, 4][below(3)] ?? 1;
        const status = below(3) === 0 ? 6 : 0;
        const moments = Array.from({ length: 8 }, moment);
        await world.addSubmissions(node, moments, {
          status,
          evidence: status === 0 ? [1, 3][below(2)] : [0, 1][below(2)],
          kind: below(2),
          namespace_key: 1 + below(2),
          blob_count: 1 + below(4),
          size_bytes: 100 + below(5_000),
          gas_price: below(3) === 0 ? null : `0.0${1 + below(9)}`,
          counts_for_chain: node !== 2 || below(2) === 0,
          wild_time: below(20) === 0,
          block_from: node === 2 ? null : 1 + below(100),
          block_to: node === 2 ? null : 100 + below(150),
        });
      }
      const lineages = { 1: 1, 4: 3 } as const;
      for (const node of [1, 4] as const) {
        const blocks = Array.from({ length: 300 }, (_, index) => {
          const txs = below(3);
          const at = BigInt(START + index * 36_000 + below(36_000)) * 1_000_000n;
          return blockRow(index + 1, {
            node_key: node,
            lineage_key: lineages[node],
            time_ns: String(at),
            tx_count: txs,
            tx_bytes: txs * 50,
            header_da_height: index < 250 ? 100 + index : null,
            data_da_height: index < 250 && txs > 0 ? 100 + index : null,
          });
        });
        // Two heights were never returned.
        const known = blocks.filter((_, index) => index !== 100 && index !== 101);
        await insertRows(api.dataSource, 'block', known);
        await insertRows(api.dataSource, 'inclusion_walk', [walkRow(node, lineages[node])]);
      }
      await world.addCoverage('b1', '2026-06-10T10:03:20Z', '2026-06-10T11:07:05.5Z');
      await world.addCoverage('b1', '2026-06-10T11:20:00Z', '2026-06-10T12:30:00Z');
      await world.addCoverage('p1', '2026-06-10T09:00:00Z', '2026-06-10T12:30:00Z');
      await insertRows(api.dataSource, 'loss', [
        lossRow(20, {
          from_at: '2026-06-10T11:07:05.5Z',
          to_at: '2026-06-10T11:20:00Z',
          min_lost: 4,
          likely_lost: 6,
        }),
      ]);
    }

    it('add up to the quarter hours', async () => {
      expect(await expectSameSums(api, HOURS)).toBeGreaterThan(100);
    }, 60_000);

    it('have the coverage of each bucket, whose mean is that of the quarter hour', async () => {
      const [quarters, minutes] = [
        await read(api, 'QUARTER_HOUR', HOURS, '[NODE]'),
        await read(api, 'MINUTE', HOURS, '[NODE]'),
      ];
      for (const quarter of quarters) {
        const from = Date.parse(quarter.time);
        const within = minutes.filter(
          ({ time, node }) =>
            node === quarter['node'] && Date.parse(time) >= from && Date.parse(time) < from + 900_000,
        );
        expect(within).toHaveLength(15);
        expect(meanOf(within)).toBeCloseTo(quarter.coverage, 9);
      }
      const ofB1 = minutes.filter(({ node }) => node === 'b1');
      const shares = ofB1.slice(0, 5).map(({ coverage }) => Number(coverage.toFixed(3)));
      expect(shares).toEqual([0, 0, 0, 0.667, 1]);
    });

    it.each(['MINUTE', 'TEN_SECONDS'] as const)(
      'begin and end at their own bounds, also within a quarter hour: %s',
      async (bucket) => {
        const odd: readonly [string, string] = ['2026-06-10T10:14:45Z', '2026-06-10T10:16:05.5Z'];
        const whole: readonly [string, string] = ['2026-06-10T10:00:00Z', '2026-06-10T11:00:00Z'];
        const length = LENGTHS[bucket];
        const from = Math.floor(Date.parse(odd[0]) / length) * length;
        const to = Math.ceil(Date.parse(odd[1]) / length) * length;
        const within = (await read(api, bucket, whole, '[CHAIN]')).filter(
          ({ time }) => Date.parse(time) >= from && Date.parse(time) < to,
        );
        expect(await read(api, bucket, odd, '[CHAIN]')).toEqual(within);
        expect(within.some((row) => row['pendingAtEnd'] !== null)).toBe(true);
      },
    );

    it('are counted though their quarter hour waits to be rolled up', async () => {
      const range: readonly [string, string] = ['2026-06-10T10:00:00Z', '2026-06-10T10:30:00Z'];
      const before = await read(api, 'MINUTE', range);
      await world.addSubmissions(1, ['2026-06-10T10:20:30Z']);
      await insertRows(api.dataSource, 'roll_up_mark', [
        { node_key: 1, chain: '', quarter_at: '2026-06-10T10:15:00Z' },
        { node_key: 0, chain: 'berlin-1', quarter_at: '2026-06-10T10:15:00Z' },
      ]);
      const after = await read(api, 'MINUTE', range);
      expect(
        after.map((row, index) => Number(row['attempts']) - Number(before[index]?.['attempts'])),
      ).toEqual(before.map((_, index) => (index === 20 ? 1 : 0)));
      expect(after.every((row) => row['counted'])).toBe(true);
      expect((await read(api, 'QUARTER_HOUR', range)).map((row) => row['counted'])).toEqual([true, false]);
    });

    it('are those of a past with `asOf`, which cuts its bucket', async () => {
      const range: readonly [string, string] = ['2026-06-10T10:00:00Z', '2026-06-10T10:30:00Z'];
      const asOf = '2026-06-10T10:20:31Z';
      const then = await read(api, 'MINUTE', range, '[]', `, asOf: "${asOf}"`);
      const now = await read(api, 'MINUTE', range);
      expect(then).toHaveLength(21);
      const attempts = (rows: readonly Row[]): unknown[] => rows.slice(0, 20).map((row) => row['attempts']);
      expect(attempts(then)).toEqual(attempts(now));
      expect(Number(then[20]?.['attempts'])).toBeGreaterThanOrEqual(1);
    });

    it('are refused for more than six hours and for cost, and take the last six hours if no time is given', async () => {
      const refusal = async (query: string): Promise<unknown> => {
        const { errors } = await api.ask(query);
        return [errors?.[0]?.extensions.code, errors?.[0]?.message];
      };
      const long = 'from: "2026-06-10T00:00:00Z", to: "2026-06-10T06:00:00.000001Z"';
      for (const query of [
        `{ statistics(bucket: MINUTE, ${long}) { time } }`,
        `{ uptime(node: "b1", bucket: MINUTE, ${long}) { time } }`,
        '{ statistics(bucket: TEN_SECONDS, from: "2020-01-01T00:00:00Z") { time } }',
      ])
        expect(await refusal(query)).toEqual([
          'BAD_USER_INPUT',
          expect.stringContaining('at most six hours') as string,
        ]);
      expect(await refusal(`{ costReport(bucket: MINUTE, ${long}) { time } }`)).toEqual([
        'BAD_USER_INPUT',
        expect.stringContaining('QUARTER_HOUR') as string,
      ]);
      const { statistics } = await api.read<{ statistics: Row[] }>('{ statistics(bucket: MINUTE) { time } }');
      expect(statistics.at(-1)?.time).toBe('2026-06-10T12:29:00.000Z');
      expect(Date.parse(statistics[0]?.time ?? '')).toBeGreaterThanOrEqual(clock.now() - 6 * 3_600_000);
    });

    it('have the uptime of each minute', async () => {
      const { uptimeOfNodes } = await api.read<{ uptimeOfNodes: { node: string; time: string }[] }>(
        '{ uptimeOfNodes(nodes: ["b1", "p1"], bucket: MINUTE, from: "2026-06-10T10:00:00Z", to: "2026-06-10T10:05:00Z") { node time } }',
      );
      expect(uptimeOfNodes.map(({ node }) => node)).toEqual([...Array(5).fill('b1'), ...Array(5).fill('p1')]);
    });
  });

  describe('of a recorded life', () => {
    let record: RiggedRecord;

    beforeAll(async () => {
      const scenario = { steps: [{ fault: 'funds', atMs: 40_000, forMs: 30_000 }] } as const;
      record = await recordFaults([{ id: 'funds', scenario }], 150_000);
    }, 300_000);

    afterAll(() => record?.stop());

    it('add up to the quarter hours', async () => {
      const [from, to] = [record.endMs - 3_600_000, record.endMs + 900_000].map((ms) =>
        new Date(Math.floor(ms / 900_000) * 900_000).toISOString(),
      ) as [string, string];
      expect(await expectSameSums(record.api, [from, to])).toBeGreaterThan(10);
      const minutes = await read(record.api, 'MINUTE', [from, to]);
      const attempts = minutes.reduce((sum, row) => sum + Number(row['attempts'] ?? 0), 0);
      const truly = record.truths.get('funds')?.attempts.length ?? 0;
      // The last attempts were not polled.
      expect([attempts > truly - 5, attempts <= truly]).toEqual([true, true]);
    }, 60_000);
  });
});
