import type { SourceState } from '../../../domain/events.js';
import type { Micros } from '../../../domain/time.js';
import type { NodeEntity } from '../../../tables/record/node.entity.js';
import type { WaitingList } from './list-book.js';
import { laterOf } from './nodes.js';

/**
 * How long the list of a node that was there and is not now may still come to explain something. After that it is
 * not waited for; a success that it shows later withdraws what was concluded meanwhile.
 */
const PATIENCE_US: Micros = 600_000_000n;
const NEVER: Micros = -1n;
/** Later than any look: nobody is waited for. */
const UNBOUNDED: Micros = 2n ** 62n;

/** The list was looked at, and found to be so. */
export function noteState(node: NodeEntity, state: SourceState, at: Micros): void {
  node.listState = state;
  node.listStateAt = at;
  node.listLookedAt = laterOf(node.listLookedAt, at);
}

/** The list was looked at, and all that it holds is known where it is at hand. */
export function noteLook(node: NodeEntity, at: Micros): void {
  node.listLookedAt = laterOf(node.listLookedAt, at);
  if (node.listState === 'AVAILABLE') node.listSeenAt = laterOf(node.listSeenAt, at);
}

/** Whether a look finds a list that was not at hand when it was looked at last. */
export function isBack({ listState, listStateAt, listSeenAt }: NodeEntity): boolean {
  if (listState !== 'AVAILABLE') return true;
  return listStateAt !== null && (listSeenAt === null || listSeenAt <= listStateAt);
}

/**
 * The time up to which every list of a chain that can show anything has been looked at. What was included before
 * it, and is explained by none, stands in none.
 *
 * @param nodes of the chain
 * @param waitingOf the list of a node whose rows have no chain yet. They may be of this one, so it is waited for as a list that is missing
 */
export function lookedThrough(
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
