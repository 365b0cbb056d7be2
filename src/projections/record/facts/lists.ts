import type { SourceState } from '../../../domain/events.js';
import type { Micros } from '../../../domain/time.js';
import type { NodeEntity } from '../../../tables/record.entities.js';
import type { WaitingList } from './list-book.js';
import { laterOf } from './nodes.js';

/**
 * How long a node's list that has disappeared may still return and explain something. After that it is not waited for; if a
 * success appears in it later, the conclusions drawn meanwhile are withdrawn.
 */
const PATIENCE_US: Micros = 600_000_000n;
const NEVER: Micros = -1n;
/** Later than any poll: no list is waited for. */
const UNBOUNDED: Micros = 2n ** 62n;

/** Notes that a poll found the list in this state. */
export function noteState(node: NodeEntity, state: SourceState, at: Micros): void {
  node.listState = state;
  node.listStateAt = at;
  node.listLookedAt = laterOf(node.listLookedAt, at);
}

/** Notes that the list was polled; while it is available, all of its rows are known. */
export function notePoll(node: NodeEntity, at: Micros): void {
  node.listLookedAt = laterOf(node.listLookedAt, at);
  if (node.listState === 'AVAILABLE') node.listSeenAt = laterOf(node.listSeenAt, at);
}

/** Whether a poll finds a list that was not available at the previous poll. */
export function isBack({ listState, listStateAt, listSeenAt }: NodeEntity): boolean {
  if (listState !== 'AVAILABLE') return true;
  return listStateAt !== null && (listSeenAt === null || listSeenAt <= listStateAt);
}

/**
 * The time up to which every list of a chain that can show anything has been polled. A blob included before that time that
 * no row explains is in no list.
 *
 * @param nodes of the chain
 * @param waitingOf the list of a node whose rows have no chain yet. They may belong to this chain, so the list is waited
 * for like a missing one
 */
export function polledThrough(
  nodes: Iterable<NodeEntity>,
  waitingOf: (nodeKey: number) => WaitingList | undefined = () => undefined,
): Micros {
  const watched = [...nodes].filter(({ retired }) => !retired);
  let now = NEVER;
  for (const { listLookedAt } of watched) now = laterOf(listLookedAt, now);
  let through = UNBOUNDED;
  for (const { nodeKey, listState, listStateAt, listSeenAt } of watched) {
    if (listState === null) return NEVER;
    const waiting = waitingOf(nodeKey);
    if (waiting) {
      const isPatient = now - waiting.waitsAt <= PATIENCE_US;
      if (isPatient && (waiting.seenAt ?? NEVER) < through) through = waiting.seenAt ?? NEVER;
      continue;
    }
    const isMissing = listState === 'UNREACHABLE' || listState === 'INVALID';
    const mayReturn = isMissing && listSeenAt !== null && now - (listStateAt ?? 0n) <= PATIENCE_US;
    if (listState !== 'AVAILABLE' && !mayReturn) continue;
    if ((listSeenAt ?? NEVER) < through) through = listSeenAt ?? NEVER;
  }
  return through;
}
