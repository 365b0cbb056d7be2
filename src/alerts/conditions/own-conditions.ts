import type { ConditionOf } from '../../domain/alerts/alert-condition.js';
import type { Finding } from '../../domain/alerts/sampled-lines.js';
import type { OwnHealth } from '../alerts-options.js';

/** Whether Hindsight itself, or its disk, is in trouble. */
export function findOwn(condition: ConditionOf<'hindsight' | 'disk'>, own: OwnHealth): Finding[] {
  const reason = condition.kind === 'disk' ? findLittleRoom(condition, own) : findTrouble(condition, own);
  if (reason === null) return [{ node: null, chain: null, holds: 'unknown', reason: '' }];
  return reason === undefined ? [] : [{ node: null, chain: null, holds: true, reason }];
}

function findTrouble(
  { is }: ConditionOf<'hindsight'>,
  { notReady, degraded }: OwnHealth,
): string | undefined {
  if (is === 'NOT_READY') return notReady;
  return degraded.length > 0 ? degraded.join(' ') : undefined;
}

/** The reason if there is too little room; undefined if there is enough; null if the free space is unknown. */
function findLittleRoom(
  { freeBytes: least, days: fewest }: ConditionOf<'disk'>,
  { freeBytes, daysLeft }: OwnHealth,
): string | null | undefined {
  if (freeBytes === undefined) return null;
  const free = `${(Number(freeBytes) / 1e9).toFixed(1)} GB free`;
  if (daysLeft !== undefined && daysLeft < fewest)
    return `${free}, enough for ${daysLeft.toFixed(1)} days at the present growth.`;
  return freeBytes < least ? `${free}.` : undefined;
}
