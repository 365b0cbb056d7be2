import { HEADER_ENVELOPE_BYTES } from '../../domain/blocks/block-sizes.js';
import { selectList } from '../../platform/rows/row-columns.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import type { EvidenceBatch, Missing } from './record-evidence-batch.js';
import { latestTimeOf } from './record-late.js';
import {
  findInBatch,
  getStretches,
  isOfChain,
  kindsOfMissing,
  lineagesOfMissing,
} from './record-stretches.js';

/** A success that does not tell where it landed. */
type Row = Pick<SubmissionEntity, (typeof READ)[number]>;

const READ = [
  'kind',
  'blobCount',
  'sizeBytes',
  'wildTime',
  'timeAt',
] as const satisfies readonly (keyof SubmissionEntity)[];

/** Of more such rows one is taken for it. */
const MOST_ROWS = 100;

/**
 * Whether a success of a node's list may be what is missing, so that a failed attempt of the list need not have carried it: one
 * that does not tell its DA height, between successes that do not exclude it, and with as many blobs and bytes as lie there
 * side by side. Most often it is the same batch, tried again.
 *
 * @returns undefined: none; else the node whose next success may exclude it, null for none
 */
export async function findRival(
  batch: EvidenceBatch,
  missing: Missing,
  nodeKey: number,
): Promise<number | null | undefined> {
  const question = { nodeKey, missing };
  const [stretch] = await getStretches(batch, [question], 0n);
  if (!stretch) return undefined;
  const recorded = findInBatch(batch, question, stretch, 0n);
  if (!stretch.isStored && recorded.length === 0) return undefined;
  const stored = await batch.query<Row>(
    `SELECT ${selectList(SubmissionEntity, 's', READ)} FROM submission s
      WHERE s.node_key = $1 AND s.status = 0 AND s.da_height IS NULL AND s.node_key IS NOT NULL
        AND s.blob_count IS DISTINCT FROM 0 AND s.sequence > $2 AND s.sequence < $3
        AND s.kind = ANY ($4::int[]) AND ${isOfChain('$5')}
      ORDER BY s.sequence LIMIT ${MOST_ROWS + 1}`,
    [
      nodeKey,
      stretch.lastSequence,
      stretch.nextSequence,
      kindsOfMissing(missing),
      lineagesOfMissing(batch, missing),
    ],
  );
  const latest = latestTimeOf(batch.parts.views, nodeKey, missing.shownAt);
  const isIt = (row: Row) => (row.wildTime || row.timeAt <= latest) && mayHaveCarried(row, missing);
  if (stored.length <= MOST_ROWS && ![...stored, ...recorded].some(isIt)) return undefined;
  return stretch.lastDa !== null && stretch.nextDa === null ? nodeKey : null;
}

/** Whether blobs lie side by side there that are as many, and of as many bytes as far as both are known. */
function mayHaveCarried({ blobCount, sizeBytes }: Row, { cell, kind }: Missing): boolean {
  if (blobCount === null) return true;
  const blobs = cell.sortedBlobs()[kind];
  return blobs.slice(0, Math.max(0, blobs.length - blobCount + 1)).some((_, from) => {
    const run = blobs.slice(from, from + blobCount);
    let bytes = 0n;
    for (const blob of run) {
      if (blob.bytes === null || sizeBytes === null) return true;
      bytes += BigInt(blob.bytes);
    }
    const less = kind === 'HEADER' ? BigInt(HEADER_ENVELOPE_BYTES * blobCount) : 0n;
    return sizeBytes === bytes || sizeBytes === bytes - less;
  });
}
