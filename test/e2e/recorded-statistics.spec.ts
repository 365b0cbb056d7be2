import { draftBlock } from '../../src/domain/blocks/block-draft.js';
import { CELESTIA_GAS } from '../../src/domain/cost/pay-for-blobs.js';
import { costOfSubmission } from '../../src/domain/cost/submission-cost.js';
import type { LossFact, RecordedEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import type { ReportRequest } from '../../src/statistics/read/plan/report-request.js';
import { ReportReader, type ReportRow } from '../../src/statistics/read/report.reader.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { sharesOf } from '../support/generated-year/truth-money.js';
import { liveThroughRecording } from '../support/lived-recording.js';
import { loadRecordedBlocks } from '../support/recorded-blocks.js';
import { loadRecording, loadTruth } from '../support/recording.js';
import { useDatabase } from '../support/use-database.js';
import { projectAll } from '../support/read-models.js';

const FILES = ['aggregator', 'follower'] as const;
const QUARTER = 900_000;
const HOUR = 4 * QUARTER;

/** A row of the truth file, read by hand. */
interface SentRow {
  readonly text: string;
  readonly at: number;
  readonly status: string;
  readonly isSuccess: boolean;
  readonly blobs: number;
  readonly bytes: number;
  readonly namespace: string;
  readonly daHeight: number;
}

const SENT = loadTruth().map(({ row }): SentRow => ({
  text: JSON.stringify(row),
  at: Date.parse(String(row['timestamp'])),
  status: String(row['status_code']).toUpperCase().replaceAll(' ', '_'),
  isSuccess: row['status_code'] === 'Success',
  blobs: Number(row['num_blobs']),
  bytes: Number(row['blob_size']),
  namespace: String(row['namespace']),
  daHeight: Number(row['height']),
}));
const { startMs } = loadRecording('aggregator');

const dataSource = useDatabase();
/** Observed rows of the truth file, in the order of sequences, and lost ones. */
let seen: SentRow[];
let lost: SentRow[];
let landed: Set<SentRow>;
let rebuilt: SentRow[];

beforeAll(async () => {
  const store = new EventStore(dataSource);
  await liveThroughRecording(store, { nodes: FILES.map((file) => ({ id: file, file })), seed: 7 });
  await projectAll(dataSource);
  await new RollUp(dataSource).run();
  ({ seen, lost } = tellApart(await store.readStreamBack('aggregator/submissions', [], 100_000)));
  landed = await findLanded();
  rebuilt = await findRebuilt();
});

/** Finds each recorded row in the truth file. Rows may be missing only inside a recorded gap, within its bounds. */
function tellApart(newestFirst: readonly RecordedEvent[]): { seen: SentRow[]; lost: SentRow[] } {
  const found: { seen: SentRow[]; lost: SentRow[] } = { seen: [], lost: [] };
  let next = 0;
  let hole: LossFact | undefined;
  for (const event of newestFirst.toReversed()) {
    if ('minLost' in event.body) hole = event.body as LossFact;
    if (event.type !== 'SubmissionsObserved') continue;
    for (const row of event.body.rows) {
      const text = JSON.stringify(JSON.parse(row));
      const at = SENT.findIndex((sent, index) => index >= next && sent.text === text);
      const skipped = SENT.slice(next, at);
      expect(at).not.toBe(-1);
      expect(skipped.length).toBeGreaterThanOrEqual(hole?.minLost ?? 0);
      expect(skipped.length).toBeLessThanOrEqual(hole ? (hole.maxLost ?? Infinity) : 0);
      found.lost.push(...skipped);
      found.seen.push(SENT[at] as SentRow);
      hole = undefined;
      next = at + 1;
    }
  }
  found.lost.push(...SENT.slice(next));
  return found;
}

/** Attempts that the node reported as failed, but that blocks contain. */
async function findLanded(): Promise<Set<SentRow>> {
  const rows = await dataSource.query<{ sequence: bigint }[]>(
    'SELECT sequence FROM submission WHERE status <> 0 AND evidence = 1',
  );
  return new Set(rows.flatMap(({ sequence }) => seen[Number(sequence) - 1] ?? []));
}

/** Lost rows that blocks contain. */
async function findRebuilt(): Promise<SentRow[]> {
  const rows = await dataSource.query<Record<string, bigint | number | string>[]>(
    `SELECT s.da_height, s.blob_count, s.size_bytes, n.namespace FROM submission s JOIN namespace n USING (namespace_key)
      WHERE s.node_key IS NULL AND s.to_position IS NULL`,
  );
  return rows.flatMap((row) => {
    const match = lost.find(
      ({ daHeight, blobs, bytes, namespace }) =>
        BigInt(daHeight) === row['da_height'] &&
        blobs === row['blob_count'] &&
        BigInt(bytes) === row['size_bytes'] &&
        namespace === row['namespace'],
    );
    return match ?? [];
  });
}

const COUNTED = [
  ...(['attempts', 'successes', 'failures', 'successRate', 'blobCount', 'sizeBytes'] as const),
  ...(['unreadable', 'landed', 'reconstructed'] as const),
] as const;

/** Hours or quarter hours of UTC; for all statuses together, or by status. */
async function getStatistics(
  from: number,
  to: number,
  byStatus = false,
): Promise<ReportRow<(typeof COUNTED)[number]>[]> {
  const request: ReportRequest = {
    filter: { chains: ['lab-1'] },
    bucket: 'HOUR',
    groupBy: byStatus ? ['STATUS'] : [],
    fromUs: BigInt(from) * 1000n,
    toUs: BigInt(to) * 1000n,
    nowUs: BigInt(startMs + 24 * HOUR) * 1000n,
  };
  const rows = await new ReportReader(dataSource).read(request, COUNTED);
  return [...rows];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The hours and quarter hours of the recording. */
const TIMES = [HOUR, QUARTER].flatMap((length) => {
  const [first, last] = [SENT[0]?.at ?? 0, SENT.at(-1)?.at ?? 0];
  const times: { from: number; to: number }[] = [];
  for (let from = Math.floor(first / length) * length; from <= last; from += length) {
    times.push({ from, to: from + length });
  }
  return times;
});

describe('the statistics of the recorded node, observed over HTTP', () => {
  it('cover all its rows except those lost with the ring', () => {
    expect(SENT).toHaveLength(666);
    expect(seen.length + lost.length).toBe(666);
    expect(lost.length).toBeLessThan(30);
    expect(seen.length).toBeGreaterThan(630);
  });

  it('count the attempts of each hour and quarter hour by status as the truth file does', async () => {
    for (const { from, to } of TIMES) {
      const meant = seen.filter(({ at }) => at >= from && at < to);
      const expected: Record<string, bigint> = {};
      for (const { status } of meant) expected[status] = (expected[status] ?? 0n) + 1n;
      const told = await getStatistics(from, to, true);
      const attempts = told
        .filter((row) => (row.attempts ?? 0n) > 0n)
        .map((row) => [row.status, row.attempts] as const);
      expect(Object.fromEntries(attempts)).toEqual(expected);
    }
  });

  it('report the success rate of each hour and quarter hour', async () => {
    for (const { from, to } of TIMES) {
      const meant = seen.filter(({ at }) => at >= from && at < to);
      const successes = meant.filter(({ isSuccess }) => isSuccess).length;
      const [told] = await getStatistics(from, to);
      expect(told?.successes).toBe(BigInt(successes));
      expect(told?.failures).toBe(BigInt(meant.length - successes));
      expect(told?.successRate).toBe(meant.length === 0 ? null : successes / meant.length);
    }
  });

  it('add up blobs and bytes of submissions that succeeded, or landed despite a failure', async () => {
    for (const { from, to } of TIMES) {
      const [told] = await getStatistics(from, to);
      const isIn = ({ at }: SentRow): boolean => at >= from && at < to;
      const carried = [...seen.filter((row) => row.isSuccess || landed.has(row)), ...rebuilt].filter(isIn);
      expect(told?.blobCount).toBe(BigInt(sum(carried.map(({ blobs }) => blobs))));
      expect(told?.sizeBytes).toBe(BigInt(sum(carried.map(({ bytes }) => bytes))));
      expect(told?.unreadable).toBe(0n);
      expect(told?.landed).toBe(BigInt([...landed].filter(isIn).length));
      expect(told?.reconstructed).toBe(BigInt(rebuilt.filter(isIn).length));
    }
  });

  it('give every confirmed submission its exact cost, from the sizes of its blocks', async () => {
    const rows = await dataSource.query<Record<string, bigint | number | null>[]>(
      'SELECT kind, da_height, blob_count, size_bytes, shares, signed_shares FROM submission WHERE evidence = 1',
    );
    expect(rows.length).toBeGreaterThan(240);
    const integer = (value: bigint | number | null | undefined): bigint | null =>
      value === null || value === undefined ? null : BigInt(value);
    for (const row of rows) {
      const facts = {
        blobCount: integer(row['blob_count']),
        sizeBytes: integer(row['size_bytes']),
        shares: integer(row['shares']),
        signedShares: integer(row['signed_shares']),
        gasPrice: null,
        importedFee: null,
      };
      const { gas } = costOfSubmission(facts, { gasPrice: null, schedule: CELESTIA_GAS, fiat: null });
      expect(gas).not.toBeNull();
      expect(gas?.min).toBe(gas?.max);
    }
  });

  it('count the shares of each DA height from the sizes of its single blobs', async () => {
    const sent = new Map<string, bigint>();
    for (const block of loadRecordedBlocks('follower')) {
      const { content } = draftBlock({ height: block.header.height, block });
      const blobs = [
        { kind: 0, daHeight: block.headerDaHeight, bytes: content.headerBlobBytes },
        { kind: 1, daHeight: block.dataDaHeight, bytes: content.dataBlobBytes },
      ];
      for (const { kind, daHeight, bytes } of blobs) {
        if (daHeight === null || !bytes) continue;
        const place = `${kind} ${daHeight}`;
        sent.set(place, (sent.get(place) ?? 0n) + sharesOf(BigInt(bytes), false));
      }
    }
    const counted = await dataSource.query<{ place: string; shares: bigint }[]>(
      `SELECT kind || ' ' || da_height AS place, sum(shares) AS shares FROM submission
        WHERE evidence IN (1, 4) AND to_position IS NULL GROUP BY place`,
    );
    expect(counted.length).toBeGreaterThan(200);
    const wrong = counted.filter(({ place, shares }) => sent.get(place) !== shares);
    expect(wrong).toEqual([]);
  });
});
