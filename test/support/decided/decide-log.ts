import type { RecordedEvent } from '../../../src/domain/events.js';
import type { SubmissionEvidence, SubmissionKind } from '../../../src/domain/submissions/submission-codes.js';
import { daHeightOf, decideCell, undecided, type DecidedRow, type Facts, type Group } from './cells.js';
import { bracketOf, couldBe, isWithin, mayBePosted, type Bracket } from './could-be.js';
import { KINDS, readFrontier } from './frontier.js';
import { chainOf, KnownLog, type KnownLoss, type KnownNode } from './known-log.js';
import { lifeOf, tellRows } from './told-rows.js';

/*
 * The rules, by the numbers that comments here use:
 * 2. A DA height is decided when walks have passed it and every available list was polled since. It never reopens.
 * 4. Decisions follow from the log up to a position, and from nothing else.
 * 6. A row without a DA height could be any group between the neighbouring successes in its list, as far as its own data allow.
 *    So could a success in a list without a chain at its own DA height, if its node has shown blocks of that history.
 * 7. A failure that could be a group landed; where that is not certain the group is UNDECIDED, and counts once.
 * 8. A group that no row could be is RECONSTRUCTED. If only one gap can have held it, it raises the minimum of that loss. A row is at most
 *    one group, so if there are more groups than rows some belong to no row. Another list's groups do not prove whose rows were lost.
 * 9. A row belongs to the history whose blobs it fits, or else to the history that its node had shown last.
 */

/** More attempts than this are not distinguished. */
const MOST_CANDIDATES = 100;

/** The decisions about a row of a list. */
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
  /** Heights of the blocks whose blobs it carried; empty when unknown. */
  readonly carried: readonly bigint[];
}

/** The decisions about blobs that no row explains. */
export interface GroupOutcome extends Omit<Group, 'shownAt'> {
  readonly chain: string;
  readonly outcome: 'RECONSTRUCTED' | 'UNDECIDED' | 'NOT_YET';
  /** Position of the only loss that can hold it. */
  readonly loss: bigint | null;
  /** The number of attempts that could be it, at most one more than are distinguished. */
  readonly attempts: number;
  /** Whether it counts in the chain's cost, blobs and bytes. */
  readonly isCounted: boolean;
}

interface LossOutcome {
  readonly node: string;
  readonly position: bigint;
  readonly min: bigint;
  readonly max: bigint | null;
}

/** The required content of the tables after a log. */
export interface Decided {
  readonly rows: readonly RowOutcome[];
  readonly groups: readonly GroupOutcome[];
  readonly losses: readonly LossOutcome[];
  /** Whether the frontier has passed everything known about a chain: no group is NOT_YET, no success UNCONFIRMED. */
  readonly chains: readonly { readonly chain: string; readonly isDecided: boolean }[];
}

/** Decides from a log alone, from its first event to its last. */
export function decideLog(events: readonly RecordedEvent[]): Decided {
  const log = new KnownLog();
  for (const event of events) log.read(event);
  const facts = { log, rows: tellRows(log).map(undecided) };
  const { rows } = facts;
  const groups = decideSuccesses(events, facts).flatMap((group) => decideGroup(group, facts));
  const chains = new Set([...rows.map(({ told }) => told.chain), ...groups.map(({ chain }) => chain)]);
  const isOpen = (chain: string) =>
    groups.some((group) => group.chain === chain && group.outcome === 'NOT_YET') ||
    rows.some(({ told, evidence }) => told.chain === chain && evidence === 'UNCONFIRMED');
  return {
    rows: rows.map(toOutcome),
    groups,
    losses: log.losses.map((loss) => boundLoss(loss, groups, facts)),
    chains: [...chains].flatMap((chain) => (chain === null ? [] : [{ chain, isDecided: !isOpen(chain) }])),
  };
}

/**
 * Decides every success at its DA height, by rising DA height, and returns the remaining groups in the same order, headers first
 * (points 2 and 4).
 */
function decideSuccesses(events: readonly RecordedEvent[], { log, rows }: Facts): Group[] {
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
  const nodes = [...log.nodes.keys()];
  const byNode = rows.toSorted((a, b) => nodes.indexOf(a.told.node) - nodes.indexOf(b.told.node));
  return daHeights.flatMap((daHeight) =>
    [...chains].flatMap((chain) => {
      const here = byNode.filter((row) => row.daHeight === daHeight && row.told.chain === chain);
      return decideCell(chain ?? '', daHeight, here, { log, frontier });
    }),
  );
}

/**
 * Decides a group that no success explains; empty if a failure landed there. A failure that could be the group landed; among
 * several equal ones it is the last that is not "already in mempool" (point 7). A group is UNDECIDED if some attempt could be it
 * and no attempt certainly is, and RECONSTRUCTED if no attempt could be it (point 8). Groups are decided by rising DA height: a
 * row that landed lower is not considered again.
 */
function decideGroup(group: Group, facts: Facts): [] | [GroupOutcome] {
  const { kind, history, daHeight, heights, bytes } = group;
  const { passedAt } = group;
  const told = { chain: chainOf(history), history, kind, daHeight, heights, bytes, passedAt, loss: null };
  if (group.passedAt === null) return [{ ...told, outcome: 'NOT_YET', attempts: 0, isCounted: false }];
  // An attempt stays possible while one of its rows may be the group, whatever another node's row of the attempt says.
  const candidates = attemptsOf(facts.rows)
    .map((attempt) => attempt.filter((row) => couldBe(row, group, facts) !== 'NO'))
    .filter((attempt) => attempt.length > 0);
  if (candidates.length === 0) {
    return [
      { ...told, outcome: 'RECONSTRUCTED', loss: holderOf(group, [], facts), attempts: 0, isCounted: true },
    ];
  }
  const landed = landedOf(candidates, group, facts);
  for (const row of landed ?? [])
    Object.assign(row, { evidence: 'CONFIRMED', history, daHeight, carried: heights });
  if (landed) return [];
  // A success that reports any blobs counts them itself, wherever it landed.
  const isCounted = !candidates.flat().some(({ told: { chain, row } }) => {
    return (
      chain !== null && row.status === 'SUCCESS' && (row.daHeight ?? row.blobCount ?? row.sizeBytes) !== null
    );
  });
  const attempts = Math.min(candidates.length, MOST_CANDIDATES + 1);
  const rows = candidates.length > MOST_CANDIDATES ? null : candidates.flat();
  return [{ ...told, outcome: 'UNDECIDED', loss: holderOf(group, rows, facts), attempts, isCounted }];
}

/** The attempt that certainly landed as a group, if any. */
function landedOf(
  candidates: readonly (readonly DecidedRow[])[],
  group: Group,
  facts: Facts,
): readonly DecidedRow[] | undefined {
  // The same holds for a success without a number: blocks may show more than it carried.
  const isCertain = (attempt: readonly DecidedRow[]) =>
    attempt.some(({ told: { row } }) => row.blobCount !== null) &&
    attempt.some((row) => row.told.row.status !== 'SUCCESS' && couldBe(row, group, facts) === 'SURELY');
  const alike = new Set(candidates.map(contentOf));
  if (candidates.length > MOST_CANDIDATES || alike.size > 1 || !candidates.every(isCertain)) return undefined;
  return candidates.findLast(([row]) => row?.told.row.status !== 'ALREADY_IN_MEMPOOL') ?? candidates.at(-1);
}

/** The reported content of equal attempts: kind, number and bytes. */
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
 * The gap that a RECONSTRUCTED group fell into: the only gap, in any list of its chain, whose neighbouring successes of the
 * group's kind are around its DA height. A gap without a later success is open. An open gap holds everything above, but a group
 * only once its list was polled after the walks had passed the group: until then the list may still show it. If a node said
 * around the gap that it does not submit, another node does, and the gap holds nothing. The gap must also be between the rows
 * that could be the group (point 8).
 *
 * @param possible rows that could be the group; null: they are not all known
 */
function holderOf(group: Group, possible: readonly DecidedRow[] | null, { log, rows }: Facts): bigint | null {
  const holders = log.losses.flatMap(({ node, after, position }) => {
    const known = log.nodes.get(node) as KnownNode;
    const { chain } = lifeOf(known, position);
    const sides = { before: after, behind: after + 1 };
    const hole = bracketOf({ node, chain }, sides, group.kind, { rows, log });
    if (chain !== chainOf(group.history) || !isWithin(hole, group.daHeight)) return [];
    const isSure = hole.to !== null || known.seenAt > (group.passedAt ?? Infinity);
    const isLeader = !known.followedAt.some((rowCount) => isAround(hole, rowCount));
    const isNext =
      possible?.every(
        ({ told }) => told.chain !== null && told.node === node && isAround(hole, told.sequence),
      ) ?? false;
    return [{ position, isSure: isSure && isLeader && isNext }];
  });
  const [holder] = holders;
  return holders.length === 1 && holder?.isSure ? holder.position : null;
}

/** Whether a place in a list is between two successes. */
function isAround({ after, before }: Bracket, place: number): boolean {
  return after <= place && place < before;
}

/** A loss is never smaller than the groups that only it can explain (point 8). */
function boundLoss(loss: KnownLoss, groups: readonly GroupOutcome[], { log, rows }: Facts): LossOutcome {
  const { node, position, minLost, maxLost } = loss;
  const held = groups.filter((group) => group.loss === position);
  const isForeign = (group: GroupOutcome) => {
    const isKnownBefore = loss.from !== null && (group.passedAt ?? Infinity) < loss.from;
    return isKnownBefore || newestOf(group, log) > (loss.to + 10_000) * 1_000;
  };
  const isOfGap = (group: GroupOutcome) => {
    const newest = newestOf(group, log);
    return !isForeign(group) && newest <= loss.to * 1_000 && newest >= (loss.from ?? 0) * 1_000;
  };
  const certain = held.filter(({ outcome }) => outcome === 'RECONSTRUCTED');
  let min = certain.filter(isOfGap).length;
  for (const kind of KINDS) {
    const open = held.filter(
      (group) => group.kind === kind && group.outcome === 'UNDECIDED' && isOfGap(group),
    );
    const { chain } = lifeOf(log.nodes.get(node) as KnownNode, position);
    const hole = bracketOf({ node, chain }, { before: loss.after, behind: loss.after + 1 }, kind, {
      rows,
      log,
    });
    const around = rows.filter(({ told }) => {
      const { daHeight, blobCount } = told.row;
      const isOfKind = told.kindThen === kind || told.kindThen === 'MIXED' || told.kindThen === 'UNKNOWN';
      const isPlaced = daHeight !== null || blobCount === 0 || !mayBePosted(told.row);
      return told.node === node && isOfKind && !isPlaced && isAround(hole, told.sequence);
    });
    min += Math.max(0, open.length - around.length);
  }
  const isProven = !certain.some(isForeign) && BigInt(min) > minLost;
  return { node, position, min: isProven ? BigInt(min) : minLost, max: maxLost };
}

/** The time of the newest block of a group, Unix microseconds of the node's clock. */
function newestOf({ history, heights }: GroupOutcome, log: KnownLog): number {
  const shown = log.shown.filter((known) => known.history === history);
  const times = heights.flatMap((height) => shown.flatMap(({ blocks }) => blocks.get(height)?.timeNs ?? []));
  return Math.max(...times.map((timeNs) => Number(timeNs / 1_000n)));
}

function toOutcome({ told, ...decided }: DecidedRow): RowOutcome {
  const { node, sequence, chain, attempt } = told;
  return { node, sequence, chain, attempt, ...decided };
}
