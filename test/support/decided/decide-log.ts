import type { RecordedEvent } from '../../../src/domain/events.js';
import type { SubmissionEvidence, SubmissionKind } from '../../../src/domain/submissions/submission-codes.js';
import { daHeightOf, decideCell, undecided, type DecidedRow, type Group } from './cells.js';
import { bracketOf, couldBe, isWithin } from './could-be.js';
import { KINDS, readFrontier } from './frontier.js';
import { chainOf, KnownLog, type KnownLoss } from './known-log.js';
import { chainAt, tellRows } from './told-rows.js';

/** More attempts than this are not told apart. */
const MOST_CANDIDATES = 100;

/** What is decided of a row of a list. */
export interface RowOutcome {
  readonly node: string;
  readonly sequence: number;
  readonly kind: SubmissionKind;
  readonly daHeight: bigint | null;
  readonly evidence: SubmissionEvidence;
  readonly chain: string | null;
  /** `chain/n` */
  readonly history: string | null;
  /** Equal for rows of several nodes that are one attempt. */
  readonly attempt: string;
  /** Heights of the blocks whose blobs it carried; empty where it is not known. */
  readonly carried: readonly bigint[];
}

/** What is decided of blobs that no row explains. */
export interface GroupOutcome extends Omit<Group, 'isDecided' | 'shownAt'> {
  readonly chain: string;
  readonly outcome: 'RECONSTRUCTED' | 'UNDECIDED' | 'NOT_YET';
  /** Position of the loss that it is part of; of RECONSTRUCTED ones only. */
  readonly loss: bigint | null;
  /** How many attempts could be it, at most one more than are told apart. */
  readonly attempts: number;
  /** Whether it counts in the chain's cost, blobs and bytes. */
  readonly isCounted: boolean;
}

export interface LossOutcome {
  readonly node: string;
  readonly position: bigint;
  readonly min: bigint;
  readonly max: bigint | null;
}

/** What the tables must hold after a log. */
export interface Decided {
  readonly rows: readonly RowOutcome[];
  readonly groups: readonly GroupOutcome[];
  readonly losses: readonly LossOutcome[];
  /** Whether the frontier has passed all that is known of a chain: no group is NOT_YET, no success UNCONFIRMED. */
  readonly chains: readonly { readonly chain: string; readonly isDecided: boolean }[];
}

/** Says what follows from a log, from its first event to its last one, and from nothing else. */
export function decideLog(events: readonly RecordedEvent[]): Decided {
  const log = new KnownLog();
  for (const event of events) log.read(event);
  const rows = tellRows(log).map(undecided);
  const left = decideSuccesses(events, log, rows);
  const groups = left
    .flatMap((group) => decideGroup(group, rows, log.losses))
    .map((group) => ({ ...group, loss: holderOf(group, rows, log) }));
  const chains = new Set([...rows.map(({ told }) => told.chain), ...groups.map(({ chain }) => chain)]);
  const isOpen = (chain: string) =>
    groups.some((group) => group.chain === chain && group.outcome === 'NOT_YET') ||
    rows.some(({ told, evidence }) => told.chain === chain && evidence === 'UNCONFIRMED');
  return {
    rows: rows.map(toOutcome),
    groups,
    losses: log.losses.map((loss) => boundLoss(loss, groups)),
    chains: [...chains].flatMap((chain) => (chain === null ? [] : [{ chain, isDecided: !isOpen(chain) }])),
  };
}

/** Every success at its DA height, by rising DA height; what they leave over in the same order, headers first (points 2 and 4). */
function decideSuccesses(
  events: readonly RecordedEvent[],
  log: KnownLog,
  rows: readonly DecidedRow[],
): Group[] {
  const pointedAt = log.shown.flatMap(({ blocks }) =>
    [...blocks.values()].flatMap((block) => KINDS.map((kind) => daHeightOf(block, kind))),
  );
  const all = [...rows.map((row) => row.daHeight), ...pointedAt].filter((daHeight) => daHeight !== null);
  const daHeights = [...new Set(all)].sort((a, b) => (a < b ? -1 : 1));
  const frontier = readFrontier(events, new Set(daHeights));
  const chains = new Set([
    ...rows.map(({ told }) => told.chain),
    ...log.shown.map(({ history }) => chainOf(history)),
  ]);
  return daHeights.flatMap((daHeight) =>
    [...chains].flatMap((chain) => {
      const here = rows.filter((row) => row.daHeight === daHeight && row.told.chain === chain);
      return decideCell(chain ?? '', daHeight, here, { log, frontier });
    }),
  );
}

/**
 * What a group is, which no success explains; none where a failure landed there. A failure that could be the group landed; of several alike
 * the last that is not "already in mempool" (point 7). One that some attempt could be, and none certainly is, is UNDECIDED; one that
 * nothing could be is RECONSTRUCTED (point 8). Groups are asked by rising DA height: what landed lower is not asked again.
 */
function decideGroup(
  { isDecided, shownAt, ...told }: Group,
  rows: readonly DecidedRow[],
  losses: readonly KnownLoss[],
): [] | [GroupOutcome] {
  const group = { ...told, chain: chainOf(told.history), loss: null };
  if (!isDecided) return [{ ...group, outcome: 'NOT_YET', attempts: 0, isCounted: false }];
  const candidates = attemptsOf(rows).filter((attempt) =>
    attempt.every((row) => couldBe(row, { ...told, shownAt }, { rows, losses }) !== 'NO'),
  );
  const landed = landedOf(candidates, { ...told, shownAt }, { rows, losses });
  for (const row of landed ?? [])
    Object.assign(row, {
      evidence: 'CONFIRMED',
      kind: told.kind,
      history: told.history,
      daHeight: told.daHeight,
      carried: told.heights,
    });
  if (landed) return [];
  const outcome = candidates.length === 0 ? 'RECONSTRUCTED' : 'UNDECIDED';
  // A success counts by itself, wherever it landed.
  const isCounted = !candidates.some(([row]) => row?.told.row.status === 'SUCCESS');
  return [{ ...group, outcome, attempts: Math.min(candidates.length, MOST_CANDIDATES + 1), isCounted }];
}

/** The attempt that landed as a group, if that is certain. */
function landedOf(
  candidates: readonly (readonly DecidedRow[])[],
  group: Omit<Group, 'isDecided'>,
  facts: { readonly rows: readonly DecidedRow[]; readonly losses: readonly KnownLoss[] },
): readonly DecidedRow[] | undefined {
  const isCertain = (attempt: readonly DecidedRow[]) =>
    attempt.some(
      (row) => row.told.row.status !== 'SUCCESS' && couldBe(row, group, facts) === 'SURELY_OF_LIST',
    );
  const alike = new Set(candidates.map(contentOf));
  if (candidates.length > MOST_CANDIDATES || alike.size > 1 || !candidates.every(isCertain)) return undefined;
  return candidates.findLast(([row]) => row?.told.row.status !== 'ALREADY_IN_MEMPOOL') ?? candidates.at(-1);
}

/** What attempts that are alike have in common: kind, number and bytes, as they tell them. */
function contentOf(attempt: readonly DecidedRow[]): string {
  const kind = attempt.find(({ told }) => told.kind !== 'UNKNOWN')?.told.kind ?? 'UNKNOWN';
  const row = attempt[0]?.told.row;
  return `${kind} ${row?.blobCount} ${row?.sizeBytes}`;
}

/** Rows of several nodes that are one attempt, in the order of the log. */
function attemptsOf(rows: readonly DecidedRow[]): DecidedRow[][] {
  const attempts = new Map<string, DecidedRow[]>();
  for (const row of rows) attempts.set(row.told.attempt, [...(attempts.get(row.told.attempt) ?? []), row]);
  return [...attempts.values()];
}

/**
 * The hole that a RECONSTRUCTED group fell into: the only one, of any list of its chain, whose successes around it, of the group's
 * kind, lie around its DA height. A hole behind which none of them stands yet holds all above (point 8).
 */
function holderOf(group: GroupOutcome, rows: readonly DecidedRow[], log: KnownLog): bigint | null {
  if (group.outcome !== 'RECONSTRUCTED') return null;
  const holders = log.losses.filter(({ node, source, after, position }) => {
    const known = log.nodes.get(node);
    const chain = known ? chainAt(known, position) : null;
    const sides = { before: after, behind: after + 1 };
    const bracket = bracketOf({ node, source, chain }, sides, group.kind, { rows, losses: log.losses });
    return chain === group.chain && isWithin(bracket, group.daHeight);
  });
  return holders.length === 1 ? (holders[0]?.position ?? null) : null;
}

/** A loss is never smaller than what names it (point 8). */
function boundLoss(
  { node, position, minLost, maxLost }: KnownLoss,
  groups: readonly GroupOutcome[],
): LossOutcome {
  const named = BigInt(groups.filter(({ loss }) => loss === position).length);
  const min = named > minLost ? named : minLost;
  return { node, position, min, max: maxLost === null || maxLost > min ? maxLost : min };
}

function toOutcome({ told, ...decided }: DecidedRow): RowOutcome {
  const { node, sequence, chain, attempt } = told;
  return { node, sequence, chain, attempt, ...decided };
}
