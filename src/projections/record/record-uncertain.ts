import {
  evidenceCodeOf,
  kindCodeOf,
  statusCodeOf,
  SUBMISSION_STATUSES,
} from '../../domain/submissions/submission-codes.js';
import { HEADER_ENVELOPE_BYTES } from '../../domain/blocks/block-sizes.js';
import { isUncertain } from '../../domain/evidence/uncertain-attempt.js';
import { columnsOf, selectList } from '../../platform/rows/row-columns.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import { SELECT_ATTEMPT, type Attempt } from './record-attempt.js';
import type { EvidenceBatch, Missing } from './record-evidence-batch.js';
import { CellFit } from './record-cell-fit.js';
import { latestTimeOf } from './record-late.js';
import { findRival } from './record-rivals.js';
import type { SubmissionRecord } from './record-submissions.js';

/** A failed attempt that may have carried what is missing, between the DA heights of the successes around it. */
interface Candidate extends Readonly<Pick<SubmissionEntity, (typeof TOLD)[number]>> {
  readonly attempt: Attempt;
  /** The last success before it: DA height and sequence. */
  readonly before: { readonly daHeight: bigint; readonly sequence: bigint } | null;
  /** DA height of the first success after it. */
  readonly daAfter: bigint | null;
}

const TOLD = ['message', 'occurredAt', 'digest'] as const satisfies readonly (keyof SubmissionEntity)[];
const OBSERVED = evidenceCodeOf('OBSERVED');
const MIXED = kindCodeOf('MIXED');
const UNKNOWN = kindCodeOf('UNKNOWN');
const ALREADY_IN_MEMPOOL = statusCodeOf('ALREADY_IN_MEMPOOL');
const WANTED_COLUMNS = columnsOf(SubmissionEntity, 'lineageKey', 'kind', 'blobCount', 'sizeBytes').and({
  slimBytes: 'int8',
  n: 'int4',
});

interface Wanted {
  readonly n: number;
  readonly missing: Missing;
}

/** What is found of a stored candidate beside its row: which of the wanted it may be, and the successes around it. */
interface Found extends Omit<Candidate, 'attempt' | 'before' | 'daAfter'> {
  readonly n: number;
  readonly daBefore: bigint | null;
  readonly sequenceBefore: bigint | null;
  readonly daAfter: bigint | null;
}

/** What failed attempts tell of what is missing. */
export interface Carriers {
  /** The one that carried it. */
  readonly found: Map<Missing, Attempt>;
  /** What one may have carried: it fits headers and data alike, or a success may be it. With the node whose next success may tell. */
  readonly doubtful: Map<Missing, number | null>;
}

/**
 * Attempts whose outcome is uncertain and that carried exactly what is missing: of its kind, with its number of blobs
 * and bytes, made between a success of a lower and one of a higher DA height, with no hole in the list since, and no
 * success in it that may be it instead.
 *
 * @param since only attempts recorded from this event on
 */
export async function findUncertainAttempts(
  batch: EvidenceBatch,
  missing: readonly Missing[],
  since: bigint,
): Promise<Carriers> {
  const found = new Map<Missing, Attempt>();
  const doubtful: Carriers['doubtful'] = new Map();
  const wanted = missing.filter(({ left }) => left.bytes !== null).map((each, n) => ({ n, missing: each }));
  if (wanted.length === 0) return { found, doubtful };
  const stored = await getStored(batch, wanted, since);
  const taken = new Set<string>();
  for (const { n, missing: each } of wanted) {
    const candidates = [...(stored.get(n) ?? []), ...(await getRecorded(batch, each, since))];
    const fitting: Candidate[] = [];
    for (const candidate of candidates) {
      if (!taken.has(nameOf(candidate.attempt)) && (await fits(batch, candidate, each)))
        fitting.push(candidate);
    }
    const open = candidates.filter(({ attempt }) => isOpen(attempt) && !taken.has(nameOf(attempt)));
    const best = takeTwin(fitting.sort(compareCandidates)[0], open);
    if (!best) continue;
    const { explains, isVague } = trial(each, best.attempt);
    if (isVague) doubtful.set(each, best.daAfter === null ? best.attempt.nodeKey : null);
    if (!explains) continue;
    const rival = await findRival(batch, each, best.attempt.nodeKey);
    if (rival !== undefined) {
      doubtful.set(each, rival);
      continue;
    }
    taken.add(nameOf(best.attempt));
    found.set(each, best.attempt);
  }
  return { found, doubtful };
}

/** What becomes of the cell with the attempt in it: its blobs may not lie side by side, or fit twice. */
function trial({ cell, kind }: Missing, attempt: Attempt): { explains: boolean; isVague: boolean } {
  cell.addAttempt(attempt);
  const fit = new CellFit(cell);
  const itsFit = fit.fitOf(cell.attempts.indexOf(attempt));
  cell.removeAttempt(attempt);
  return { explains: itsFit === 'EXACT' && !fit.unexplained(kind), isVague: itsFit === 'VAGUE' };
}

async function fits(
  batch: EvidenceBatch,
  candidate: Candidate,
  { cell, shownAt }: Missing,
): Promise<boolean> {
  const { attempt, message, before, daAfter } = candidate;
  if (!isOpen(attempt)) return false;
  if (!isUncertain(SUBMISSION_STATUSES[attempt.status] ?? 'OTHER', message)) return false;
  const latest = latestTimeOf(batch.parts.views, attempt.nodeKey, shownAt);
  if (!attempt.wildTime && attempt.timeAt > latest) return false;
  if (before === null || before.daHeight > cell.daHeight) return false;
  if (daAfter !== null && daAfter < cell.daHeight) return false;
  // A hole between them would let the attempt be later than what is missing; one behind it, the true success be in it.
  const { losses } = await batch.losses.ofNode(attempt.nodeKey, batch.query);
  return !losses.some(
    ({ afterSequence, fromAt }) => afterSequence >= before.sequence && (fromAt === null || fromAt < shownAt),
  );
}

/** A batch that is in the mempool already was brought there by an earlier attempt; else the last one made it. */
function compareCandidates(a: Candidate, b: Candidate): number {
  const isDoubtfulA = a.attempt.status === ALREADY_IN_MEMPOOL;
  const isDoubtfulB = b.attempt.status === ALREADY_IN_MEMPOOL;
  if (isDoubtfulA !== isDoubtfulB) return isDoubtfulA ? 1 : -1;
  if (a.attempt.nodeKey !== b.attempt.nodeKey) return a.attempt.nodeKey - b.attempt.nodeKey;
  return a.attempt.sequence < b.attempt.sequence ? 1 : -1;
}

/** Whether it is not known yet to have landed. */
function isOpen({ evidence, daHeight }: Attempt): boolean {
  return evidence === OBSERVED && daHeight === null;
}

/**
 * The row of the same attempt that another node showed in time, where this one's time is wild: that one counts for the chain.
 * What the list of the one proves holds of the other, too.
 */
function takeTwin(best: Candidate | undefined, open: readonly Candidate[]): Candidate | undefined {
  if (!best?.attempt.wildTime || best.occurredAt === null) return best;
  const { occurredAt, digest } = best;
  const isTwin = (other: Candidate) =>
    other.attempt.nodeKey !== best.attempt.nodeKey &&
    other.occurredAt === occurredAt &&
    other.digest === digest &&
    !other.attempt.wildTime;
  return open.find(isTwin) ?? best;
}

/** Candidates that were recorded before this batch. */
async function getStored(
  batch: EvidenceBatch,
  wanted: readonly Wanted[],
  since: bigint,
): Promise<Map<number, Candidate[]>> {
  const rows = wanted.map(({ n, missing }) => ({
    n,
    lineageKey: missing.cell.lineageKey,
    kind: kindCodeOf(missing.kind),
    blobCount: missing.left.count,
    sizeBytes: missing.left.bytes,
    slimBytes: slimBytesOf(missing),
  }));
  const list = WANTED_COLUMNS.unnest(rows, 'w');
  await batch.writeReleased();
  const success = 'o.node_key = s.node_key AND o.status = 0 AND o.da_height IS NOT NULL';
  const found = await batch.query<Attempt & Found>(
    `SELECT w.n, ${SELECT_ATTEMPT}, ${selectList(SubmissionEntity, 's', TOLD)},
            before.da_height AS "daBefore", before.sequence AS "sequenceBefore",
            (SELECT o.da_height FROM submission o WHERE ${success} AND o.sequence > s.sequence
              ORDER BY o.sequence LIMIT 1) AS "daAfter"
       FROM ${list.sql}
       JOIN submission s ON s.lineage_key = w.lineage_key AND s.blob_count = w.blob_count
                        AND s.size_bytes = ANY (ARRAY[w.size_bytes, w.slim_bytes]) AND s.kind IN (w.kind, ${MIXED}, ${UNKNOWN})
       LEFT JOIN LATERAL (SELECT o.da_height, o.sequence FROM submission o WHERE ${success} AND o.sequence < s.sequence
                           ORDER BY o.sequence DESC LIMIT 1) before ON true
      WHERE s.evidence = 0 AND s.da_height IS NULL AND s.status IN (2, 3, 5, 6)
        AND s.from_position >= $${list.parameters.length + 1}`,
    [...list.parameters, since],
  );
  const candidates = new Map<number, Candidate[]>();
  for (const row of found) {
    const { n, message, occurredAt, digest, daBefore: daHeight, sequenceBefore: sequence } = row;
    const attempt = batch.identify(row);
    const daAfter = row.daAfter ?? batch.firstSuccessOf(attempt.nodeKey);
    const others = candidates.get(n) ?? [];
    const before = daHeight === null || sequence === null ? null : { daHeight, sequence };
    others.push({ attempt, message, occurredAt, digest, before, daAfter });
    candidates.set(n, others);
  }
  return candidates;
}

/** Candidates of this batch, recorded before the event that decides. */
async function getRecorded(batch: EvidenceBatch, missing: Missing, since: bigint): Promise<Candidate[]> {
  const { cell, kind, left } = missing;
  const slimBytes = slimBytesOf(missing);
  const candidates: Candidate[] = [];
  for (const [nodeKey, rows] of batch.recordedByNode) {
    const positions = rows.flatMap((row, index) => (isAlike(row) ? [index] : []));
    if (positions.length === 0) continue;
    const { lastStored } = await batch.losses.ofNode(nodeKey, batch.query);
    for (const index of positions) {
      const before = rows.slice(0, index).findLast(isSuccess);
      const daAfter = rows.slice(index + 1).find(isSuccess)?.daHeight ?? null;
      const row = rows[index] as SubmissionRecord;
      const recorded = before &&
        before.daHeight !== null && { daHeight: before.daHeight, sequence: before.sequence };
      const { message, occurredAt, digest } = row;
      const told = { message, occurredAt, digest };
      candidates.push({ attempt: row, ...told, before: recorded || lastStored, daAfter });
    }
  }
  return candidates;

  function isAlike(row: SubmissionRecord): boolean {
    const isOfKind = [kindCodeOf(kind), MIXED, UNKNOWN].includes(row.kind);
    const isSame =
      row.blobCount === left.count && (row.sizeBytes === left.bytes || row.sizeBytes === slimBytes);
    return (
      row.status !== 0 &&
      row.fromPosition >= since &&
      row.lineageKey === cell.lineageKey &&
      isOfKind &&
      isSame
    );
  }
}

/** Bytes of what is missing as older nodes posted it. */
function slimBytesOf({ kind, left }: Missing): bigint | null {
  if (left.bytes === null || kind === 'DATA') return left.bytes;
  return left.bytes - BigInt(HEADER_ENVELOPE_BYTES * left.count);
}

function isSuccess(row: SubmissionRecord): boolean {
  return row.status === 0 && row.daHeight !== null;
}

/** Tells a recorded attempt from all others. */
export function nameOf({ nodeKey, sequence }: Pick<Attempt, 'nodeKey' | 'sequence'>): string {
  return `${nodeKey}/${sequence}`;
}
