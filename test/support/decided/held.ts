import type { DataSource } from 'typeorm';
import {
  SUBMISSION_EVIDENCES,
  SUBMISSION_KINDS,
  SUBMISSION_STATUSES,
  type SubmissionEvidence,
  type SubmissionKind,
  type SubmissionStatus,
} from '../../../src/domain/submissions/submission-codes.js';
import { submissionsKnownAt } from '../../../src/projections/record/readers/known-rows.reader.js';

/** A recorded row as the tables have it. */
export interface HeldRow {
  readonly node: string;
  readonly sequence: number;
  readonly status: SubmissionStatus;
  readonly kind: SubmissionKind;
  /** `chain/n` */
  readonly lineage: string | null;
  /** The chain of its history, or else the chain that its node named when the row was recorded; empty if neither is known. */
  readonly chain: string;
  readonly evidence: SubmissionEvidence;
  readonly daHeight: bigint | null;
  readonly blobCount: number | null;
  readonly sizeBytes: bigint | null;
  /** Unix microseconds. */
  readonly occurredAt: bigint | null;
  readonly digest: bigint;
}

/** A submission that is proven only by blocks. */
interface HeldGroup {
  readonly lineage: string;
  readonly kind: SubmissionKind;
  readonly daHeight: bigint;
  readonly blobCount: number;
  readonly sizeBytes: bigint | null;
  readonly loss: bigint | null;
  readonly evidence: SubmissionEvidence;
}

interface HeldLoss {
  readonly node: string;
  readonly position: bigint;
  readonly kind: string;
  readonly minLost: bigint;
  readonly maxLost: bigint | null;
}

/** A chain's own figures, added up over all time. */
export interface HeldChain {
  readonly chain: string;
  readonly attempts: bigint;
  readonly reconstructed: bigint;
  readonly blobs: bigint;
  readonly bytes: bigint;
}

/** The content of the record's read model, with names instead of keys. */
export interface Held {
  readonly rows: readonly HeldRow[];
  readonly groups: readonly HeldGroup[];
  readonly losses: readonly HeldLoss[];
}

type Raw = Readonly<Record<string, bigint | string | number | boolean | null>>;

function rowsKnownAt(position: bigint): string {
  return `
  SELECT d.id AS node, s.sequence, s.status, s.kind, l.chain_id || '/' || l.n AS lineage,
         coalesce(s.chain_id, '') AS chain, s.da_height, s.blob_count,
         s.size_bytes, s.occurred_at, s.digest, s.loss_position, s.evidence
    FROM ${submissionsKnownAt(position)} LEFT JOIN node d ON d.node_key = s.node_key
    LEFT JOIN lineage l ON l.lineage_key = s.lineage_key
   ORDER BY d.id, s.sequence, lineage, s.da_height, s.kind`;
}

const LOSSES = `
  SELECT d.id AS node, t.loss_position, t.kind, t.min_lost, t.max_lost
    FROM loss t JOIN node d USING (node_key)
   WHERE t.from_position <= $1 AND (t.to_position IS NULL OR t.to_position > $1) ORDER BY t.loss_position`;
const CHAINS = `
  SELECT chain, sum(attempts) AS attempts, sum(reconstructed) AS reconstructed, sum(blob_count) AS blobs, sum(size_bytes) AS bytes
    FROM statistic WHERE node_key = 0 AND grain = 0 AND chain <> '' GROUP BY chain ORDER BY chain`;

/** @param position of the log as of which the record is read */
export async function readHeld(dataSource: DataSource, position: bigint): Promise<Held> {
  const raws = await dataSource.query<Raw[]>(rowsKnownAt(position));
  const losses = await dataSource.query<Raw[]>(LOSSES, [String(position)]);
  return {
    rows: raws.filter(({ node }) => node !== null).map(toRow),
    groups: raws.filter(({ node }) => node === null).map(toGroup),
    losses: losses.map((raw) => ({
      node: String(raw['node']),
      position: raw['loss_position'] as bigint,
      kind: String(raw['kind']),
      minLost: raw['min_lost'] as bigint,
      maxLost: raw['max_lost'] as bigint | null,
    })),
  };
}

export async function readChains(dataSource: DataSource): Promise<HeldChain[]> {
  const raws = await dataSource.query<Raw[]>(CHAINS);
  return raws.map((raw) => ({
    chain: String(raw['chain']),
    attempts: toInteger(raw['attempts']),
    reconstructed: toInteger(raw['reconstructed']),
    blobs: toInteger(raw['blobs']),
    bytes: toInteger(raw['bytes']),
  }));
}

function toRow(raw: Raw): HeldRow {
  return {
    node: String(raw['node']),
    sequence: Number(raw['sequence']),
    status: SUBMISSION_STATUSES[raw['status'] as number] ?? 'OTHER',
    kind: SUBMISSION_KINDS[raw['kind'] as number] ?? 'UNKNOWN',
    lineage: raw['lineage'] as string | null,
    chain: String(raw['chain']),
    evidence: SUBMISSION_EVIDENCES[raw['evidence'] as number] ?? 'OBSERVED',
    daHeight: raw['da_height'] as bigint | null,
    blobCount: raw['blob_count'] as number | null,
    sizeBytes: raw['size_bytes'] as bigint | null,
    occurredAt: raw['occurred_at'] as bigint | null,
    digest: raw['digest'] as bigint,
  };
}

function toGroup(raw: Raw): HeldGroup {
  return {
    lineage: String(raw['lineage']),
    kind: SUBMISSION_KINDS[raw['kind'] as number] ?? 'UNKNOWN',
    daHeight: raw['da_height'] as bigint,
    blobCount: raw['blob_count'] as number,
    sizeBytes: raw['size_bytes'] as bigint | null,
    loss: raw['loss_position'] as bigint | null,
    evidence: SUBMISSION_EVIDENCES[raw['evidence'] as number] ?? 'OBSERVED',
  };
}

function toInteger(value: Raw[string] | undefined): bigint {
  return BigInt(String(value ?? 0).replace(/\..*$/, ''));
}
