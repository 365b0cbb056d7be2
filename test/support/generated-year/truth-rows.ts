import type { DataSource } from 'typeorm';
import {
  SUBMISSION_EVIDENCES,
  SUBMISSION_KINDS,
  SUBMISSION_STATUSES,
  type SubmissionEvidence,
  type SubmissionKind,
  type SubmissionStatus,
} from '../../../src/domain/submissions/submission-codes.js';
import type { BatchKind, YearBatch, YearBlock } from './year-chain.js';
import type { GeneratedYear } from './year-log.js';

/** A blob that a submission carried. */
interface TrueBlob {
  readonly kind: BatchKind;
  readonly height: bigint;
  /** Unix nanoseconds of the block. */
  readonly timeNs: bigint;
  /** Null for an unknown scheme. */
  readonly bytes: bigint | null;
}

/** A recorded submission, with the facts that the statistics must derive from it. */
export interface TrueRow {
  /** Null: only blocks prove it. */
  readonly nodeKey: number | null;
  readonly sequence: bigint;
  readonly chain: string;
  readonly lineageKey: number | null;
  readonly namespace: string | null;
  readonly kind: SubmissionKind;
  readonly status: SubmissionStatus;
  readonly evidence: SubmissionEvidence;
  readonly isWild: boolean;
  /** Position of the event that recorded it. */
  readonly recorded: bigint;
  /** Unix microseconds, as the following. */
  readonly timeUs: bigint;
  readonly occurredUs: bigint | null;
  /** As sent. */
  readonly text: string;
  readonly blobs: bigint | null;
  readonly bytes: bigint | null;
  readonly daHeight: bigint | null;
  readonly gasPrice: string | null;
  /** Its single blobs, if the record claims to know its blocks. */
  readonly carried: readonly TrueBlob[] | null;
  /** Time of the first failure of its batch; null unless it is a success after failures. */
  firstAttemptUs: bigint | null;
}

type Raw = Record<string, bigint | string | number | boolean | null>;

const SELECT = `
  SELECT s.node_key, n.id AS node, s.sequence, coalesce(s.chain_id, '') AS chain, l.n AS lineage,
         s.lineage_key, ns.namespace, s.kind, s.status, s.evidence, s.wild_time, s.from_position,
         s.time_at AS time_us, s.occurred_at AS occurred_us, s.blob_count, s.size_bytes, s.da_height, s.gas_price::text, s.block_from, s.block_to
    FROM submission s LEFT JOIN node n ON n.node_key = s.node_key
    LEFT JOIN lineage l ON l.lineage_key = s.lineage_key
    LEFT JOIN namespace ns ON ns.namespace_key = s.namespace_key
   WHERE s.to_position IS NULL ORDER BY s.node_key, s.sequence`;

/** Every submission in the present record; conclusions from blocks are taken as recorded. */
export async function loadTrueRows(dataSource: DataSource, year: GeneratedYear): Promise<TrueRow[]> {
  const raws = await dataSource.query<Raw[]>(SELECT);
  const blocks = new Map<string, YearBlock>();
  for (const { plan, ...chain } of year.chains) {
    for (const block of chain.blocks) blocks.set(`${plan.id} ${block.lineage} ${block.height}`, block);
  }
  const rows = raws.map((raw) => toRow(raw, year, blocks));
  const holes = await dataSource.query<{ node_key: number; after_sequence: bigint }[]>(
    'SELECT DISTINCT node_key, after_sequence FROM loss WHERE to_position IS NULL',
  );
  findFirstAttempts(
    rows,
    new Set(holes.map(({ node_key, after_sequence }) => `${node_key} ${after_sequence}`)),
  );
  return rows;
}

function toRow(raw: Raw, year: GeneratedYear, blocks: ReadonlyMap<string, YearBlock>): TrueRow {
  const integer = (name: string): bigint | null => (raw[name] === null ? null : BigInt(raw[name] as string));
  const sequence = integer('sequence') ?? 0n;
  const shown = year.shown.get(raw['node'] as string)?.[Number(sequence) - 1];
  const chain = raw['chain'] as string;
  return {
    nodeKey: raw['node_key'] as number | null,
    sequence,
    chain,
    lineageKey: raw['lineage_key'] as number | null,
    namespace: raw['namespace'] as string | null,
    kind: SUBMISSION_KINDS[raw['kind'] as number] ?? 'UNKNOWN',
    status: SUBMISSION_STATUSES[raw['status'] as number] ?? 'OTHER',
    evidence: SUBMISSION_EVIDENCES[raw['evidence'] as number] ?? 'OBSERVED',
    isWild: raw['wild_time'] as boolean,
    recorded: integer('from_position') ?? 0n,
    timeUs: integer('time_us') ?? 0n,
    occurredUs: integer('occurred_us'),
    text: shown?.text ?? '',
    blobs: integer('blob_count'),
    bytes: integer('size_bytes'),
    daHeight: integer('da_height'),
    gasPrice: raw['gas_price'] as string | null,
    carried: raw['block_from'] === null ? null : carriedOf(raw, blocks, shown?.batch),
    firstAttemptUs: null,
  };
}

/** The blobs at its DA height, between its first and its last block. */
function carriedOf(
  raw: Raw,
  blocks: ReadonlyMap<string, YearBlock>,
  batch: YearBatch | null | undefined,
): TrueBlob[] {
  const { chain, lineage, kind, da_height: daHeight, block_from: from, block_to: to } = raw;
  const of = (kindOfBlob: BatchKind): TrueBlob[] => {
    const blobs: TrueBlob[] = [];
    for (let height = from as bigint; height <= (to as bigint); height++) {
      const block = blocks.get(`${chain} ${lineage} ${height}`);
      if (String(block?.landed[kindOfBlob]?.daHeight) === String(daHeight) && block)
        blobs.push(toBlob(block, kindOfBlob));
    }
    return blobs;
  };
  if (SUBMISSION_KINDS[kind as number] === 'HEADER') return of('HEADER');
  if (SUBMISSION_KINDS[kind as number] === 'DATA') return of('DATA');
  // Headers and data share a namespace: the true kind counts, unless it contradicts the record.
  const own = batch ? of(batch.kind) : [];
  const all = [own, of('HEADER'), of('DATA')];
  return all.find((blobs) => blobs.length === raw['blob_count'] && mayHave(blobs, raw['size_bytes'])) ?? own;
}

function mayHave(blobs: readonly TrueBlob[], bytes: Raw[string] | undefined): boolean {
  const isKnown = blobs.every((blob) => blob.bytes !== null) && typeof bytes === 'bigint';
  return !isKnown || blobs.reduce((sum, blob) => sum + (blob.bytes ?? 0n), 0n) === bytes;
}

function toBlob(block: YearBlock, kind: BatchKind): TrueBlob {
  const bytes = block.isStrange ? null : BigInt(kind === 'HEADER' ? block.headerBytes : block.dataBytes);
  return { kind, height: block.height, timeNs: block.timeNs, bytes };
}

/** A batch is a run of failures and a success, in one namespace of one node. A gap in between ends it. */
function findFirstAttempts(rows: readonly TrueRow[], holes: ReadonlySet<string>): void {
  const failing = new Map<string, bigint>();
  for (const row of rows) {
    if (row.nodeKey === null) continue;
    const batch = `${row.nodeKey} ${row.namespace}`;
    if (row.status === 'SUCCESS') {
      row.firstAttemptUs = failing.get(batch) ?? null;
      failing.delete(batch);
    } else if (!failing.has(batch)) failing.set(batch, row.timeUs);
    if (!holes.has(`${row.nodeKey} ${row.sequence}`)) continue;
    for (const other of failing.keys()) if (other.startsWith(`${row.nodeKey} `)) failing.delete(other);
  }
}

/**
 * The rows of a chain, each attempt once: equal rows with a time are paired one to one across nodes. The row that was recorded
 * first counts.
 */
export function countOnce(rows: readonly TrueRow[]): TrueRow[] {
  const counted: TrueRow[] = [];
  const equal = new Map<string, Map<number, TrueRow[]>>();
  for (const row of rows) {
    if (row.nodeKey === null || row.occurredUs === null) {
      counted.push(row);
      continue;
    }
    const name = `${row.occurredUs} ${row.text}`;
    const byNode = equal.get(name) ?? new Map<number, TrueRow[]>();
    equal.set(name, byNode);
    byNode.set(row.nodeKey, [...(byNode.get(row.nodeKey) ?? []), row]);
  }
  for (const byNode of equal.values()) {
    const lists = [...byNode.values()];
    const most = Math.max(...lists.map(({ length }) => length));
    for (let k = 0; k < most; k++) {
      const [first] = lists.flatMap((list) => list[k] ?? []).sort((a, b) => Number(a.recorded - b.recorded));
      if (first) counted.push(first);
    }
  }
  return counted;
}
