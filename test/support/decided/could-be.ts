import { HEADER_ENVELOPE_BYTES } from '../../../src/domain/blocks/block-encoding.js';
import type { BlobKind } from '../../../src/domain/evidence/inclusion-walk.js';
import type { SubmissionRow } from '../../../src/domain/submissions/submission-row.js';
import type { Blobs, DecidedRow, Facts, Group } from './cells.js';
import { chainOf } from './known-log.js';

/** Tolerance for an attempt that claims a time after blocks had shown the group: clocks are never quite right. */
const SLACK_US = 600_000_000n;

/** The DA heights of the successes around a place in a list, per kind; `null`: there is no success on that side. */
export interface Bracket {
  readonly from: bigint | null;
  readonly to: bigint | null;
  /** Whether the list is complete between them: both exist, and there is no gap between them (point 6). */
  readonly isClosed: boolean;
  /** Their places in the list: 0 and `Infinity` without a success. */
  readonly after: number;
  readonly before: number;
}

/**
 * The bracket of a place in a list (point 6): the nearest successes on both sides that may be of a kind and report their DA
 * height. A success whose kind was unknown then bounds both kinds. Otherwise a list that never reports kinds would have no bounds
 * at all.
 */
export function bracketOf(
  place: { readonly node: string; readonly chain: string | null },
  { before, behind }: { readonly before: number; readonly behind: number },
  kind: BlobKind,
  { rows, log }: Facts,
): Bracket {
  const other = kind === 'HEADER' ? 'DATA' : 'HEADER';
  const placed = rows
    .filter(
      (row) => row.told.node === place.node && row.told.chain === place.chain && row.told.kindThen !== other,
    )
    .filter(({ told }) => told.row.status === 'SUCCESS' && told.row.daHeight !== null)
    .sort((x, y) => x.told.sequence - y.told.sequence);
  const last = placed.findLast(({ told }) => told.sequence <= before);
  const next = placed.find(({ told }) => told.sequence >= behind);
  const isHoleBetween = log.losses.some(
    ({ node, after }) =>
      node === place.node && after >= (last?.told.sequence ?? 0) && after < (next?.told.sequence ?? Infinity),
  );
  return {
    from: last?.daHeight ?? null,
    to: next?.daHeight ?? null,
    isClosed: last !== undefined && next !== undefined && !isHoleBetween,
    after: last?.told.sequence ?? 0,
    before: next?.told.sequence ?? Infinity,
  };
}

export function isWithin({ from, to }: Bracket, daHeight: bigint): boolean {
  return (from === null || from <= daHeight) && (to === null || daHeight <= to);
}

/** Words of a refusal before the mempool. A transaction that was executed in a block was included, and failed there. */
const REFUSALS = [
  'insufficient funds',
  'insufficient fee',
  'over size limit',
  'missing permission',
  'invalid namespace',
];

/**
 * Whether an attempt may be on the DA layer: not if the DA layer is known to have refused it. A failure with less detail, or an
 * unknown status, leaves this open (point 6).
 */
export function mayBePosted({ status, message }: Pick<SubmissionRow, 'status' | 'message'>): boolean {
  if (status === 'TOO_BIG' || status === 'INCORRECT_ACCOUNT_SEQUENCE') return false;
  if (status !== 'ERROR' || message === null) return true;
  const words = message.toLowerCase();
  return words.includes('execution failed') || !REFUSALS.some((refusal) => words.includes(refusal));
}

/**
 * Whether a row can be a group that no success explains: only the row's own data rule this out (point 6). `SURELY`: its list is
 * complete around it, so that it may count as landed there. `PERHAPS`: the group cannot be reconstructed.
 */
export function couldBe(row: DecidedRow, group: Group, facts: Facts): 'NO' | 'PERHAPS' | 'SURELY' {
  const { told, evidence } = row;
  const { status, blobCount, daHeight } = told.row;
  if ((told.kind === 'HEADER' || told.kind === 'DATA') && told.kind !== group.kind) return 'NO';
  if (told.chain === null) return couldBeChainless(row, group, facts) ? 'PERHAPS' : 'NO';
  if (!mayBePosted(told.row) || evidence === 'CONFIRMED' || told.chain !== chainOf(group.history))
    return 'NO';
  // A success that reports its DA height, and about which the blocks leave open what it was.
  if (daHeight !== null && status === 'SUCCESS')
    return daHeight === group.daHeight && evidence === 'OBSERVED' && blobCount !== 0 ? 'PERHAPS' : 'NO';
  if (!mayHave(told.row, group) || isLate(row, group)) return 'NO';
  const around = { before: told.sequence - 1, behind: told.sequence + 1 };
  const bracket = bracketOf(told, around, group.kind, facts);
  if (!isWithin(bracket, group.daHeight)) return 'NO';
  return bracket.isClosed ? 'SURELY' : 'PERHAPS';
}

/** Whether a success at the group's DA height in a list without a chain can be the group: its node has shown that history. */
function couldBeChainless(row: DecidedRow, group: Group, { log }: Facts): boolean {
  const { node, row: told } = row.told;
  const isShown = log.shown.some(
    (known) => known.node === node && known.history === group.history && known.blocks.size > 0,
  );
  const isThere = told.status === 'SUCCESS' && told.daHeight === group.daHeight;
  return isShown && isThere && mayHave(told, group) && !isLate(row, group);
}

function isLate({ told: { earliestAt } }: DecidedRow, { passedAt }: Group): boolean {
  return earliestAt !== null && earliestAt > BigInt(passedAt ?? 0) * 1_000n + SLACK_US;
}

/**
 * Whether number and bytes agree, where reported. A failure must be all that is left there; a success, which landed somewhere,
 * may be a part of it. Headers of older nodes lack the envelope's signature.
 */
function mayHave({ status, blobCount, sizeBytes }: SubmissionRow, { kind, bytes, heights }: Blobs): boolean {
  const count = heights.length;
  if (blobCount === 0) return false;
  if (status === 'SUCCESS' && blobCount !== null && blobCount < count)
    return sizeBytes === null || bytes === null || sizeBytes < bytes;
  if (blobCount !== null && blobCount !== count) return false;
  const slim = kind === 'HEADER' && bytes !== null ? bytes - BigInt(HEADER_ENVELOPE_BYTES * count) : bytes;
  return sizeBytes === null || bytes === null || sizeBytes === bytes || sizeBytes === slim;
}
