import type { HealthFold } from '../../domain/health/health-fold.js';
import type { HealthComponent, HealthState } from '../../domain/health/health-rule.js';
import { formatTime, microsToMillis, millisToNanos, type Micros, type Millis } from '../../domain/time.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';

/** That a component of a node is in another state than before. */
export interface HealthNews {
  readonly node: string;
  readonly chain: string | null;
  readonly component: HealthComponent;
  readonly was: HealthState | undefined;
  readonly is: HealthState;
  readonly rule: string;
  readonly reason: string;
  /** Start of the state, and when the event was recorded that shows it. */
  readonly since: Millis;
  readonly recordedAt: Micros;
}

/** Finds the states of a node that an event changed: two at most. */
export function findNews(
  { node, chain }: Pick<HealthNews, 'node' | 'chain'>,
  before: HealthFold,
  after: HealthFold,
  recordedAt: Micros,
): HealthNews[] {
  return (['DA', 'NODE'] as const).flatMap((component) => {
    const [was, line, book] =
      component === 'DA'
        ? [before.daLine?.state, after.daLine, after.daBook]
        : [before.nodeLine?.state, after.nodeLine, after.nodeBook];
    if (!line || line.state === was) return [];
    const { state: is, rule, from: since } = line;
    return [{ node, chain, component, was, is, rule, reason: book.open?.reason ?? '', since, recordedAt }];
  });
}

/** News of a log that is read again, or was imported, are none. */
const NEWS_FOR_MS = 10 * 60_000;

/** Writes down when a node becomes CRITICAL, and when it no longer is: news of the node, not a trouble of this process. */
export function logHealth(clock: Clock, logger: Logger): (news: HealthNews) => void {
  return ({ recordedAt, since, was, is, ...rest }) => {
    if ((is === 'CRITICAL') === (was === 'CRITICAL')) return;
    if (clock.now() - microsToMillis(recordedAt) > NEWS_FOR_MS) return;
    const fields = { ...rest, state: is, since: formatTime(millisToNanos(Math.round(since)), 3) };
    logger.info(fields, is === 'CRITICAL' ? 'CRITICAL' : 'recovered from CRITICAL');
  };
}
