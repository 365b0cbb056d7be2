import type { Database } from '../platform/sql.js';
import { findWhereThen } from '../alerts/condition-sampler.js';
import { MOST_REPLAYED, readHealthBetween } from '../alerts/present-health.js';
import { ASKED_OF_PAST } from '../domain/alerts/alert-condition.js';
import type { Message } from '../domain/alerts/alert-ledger.js';
import type { AlertRule } from '../domain/alerts/alert-rules.js';
import type { Mute } from '../domain/alerts/alert-scope.js';
import type { SampledSpan } from '../domain/alerts/decide-alerts.js';
import { replayAlerts } from '../domain/alerts/replay-alerts.js';
import { SampledLines } from '../domain/alerts/sampled-lines.js';
import { QUIET_MS } from '../domain/health/trouble.js';
import { microsToMillis, millisToMicros, type Micros, type Millis } from '../domain/time.js';
import { UserError } from '../platform/errors.js';

/** Moments of the past at which conditions are asked that are not of health: each minute, or so many in all. */
const MOST_MOMENTS = 1_500;
const PACE_MS: Millis = 60_000;
/** What a day or a month has cost is read from many rows, and grows slowly. */
const PACE_OF_COST_MS: Millis = 900_000;

/** What a replay is about. */
export interface ReplayWish {
  readonly rules: readonly AlertRule[];
  readonly maintenance: readonly Mute[];
  readonly fromUs: Micros;
  readonly toUs: Micros;
  /** Position of the log: only what was recorded there. Then health alone is asked. */
  readonly knownAt: bigint | undefined;
}

/** What would have been sent, and which rules could not be asked of the past. */
export interface Replay {
  readonly messages: readonly Message[];
  readonly leftOut: readonly AlertRule[];
}

/** @throws UserError for a time with too many changes of health */
export async function replayPast(dataSource: Database, wish: ReplayWish): Promise<Replay> {
  const { maintenance: mutes, fromUs, toUs, knownAt } = wish;
  const isAsked = ({ condition: { kind } }: AlertRule): boolean =>
    knownAt === undefined ? ASKED_OF_PAST.has(kind) : kind === 'health';
  const rules = wish.rules.filter(isAsked);
  const longest = rules.reduce((most, { forMs }) => Math.max(most, forMs), 0) + QUIET_MS;
  const health = await readHealthBetween(dataSource, fromUs - millisToMicros(longest), toUs, knownAt);
  if (health.length > MOST_REPLAYED) {
    throw new UserError(
      `There are more than ${MOST_REPLAYED} changes of health in that time.`,
      'Give a shorter time.',
    );
  }
  const [from, to] = [microsToMillis(fromUs), microsToMillis(toUs)];
  const sampled: SampledSpan[] = [];
  for (const rule of rules) for (const span of await sample(dataSource, rule, from, to)) sampled.push(span);
  const leftOut = wish.rules.filter((rule) => !isAsked(rule));
  return { messages: replayAlerts({ rules, health, sampled, mutes }, from, to), leftOut };
}

/** When the condition of a rule held, looked at now and then. */
async function sample(
  dataSource: Database,
  { name, condition }: AlertRule,
  from: Millis,
  to: Millis,
): Promise<SampledSpan[]> {
  if (condition.kind === 'health') return [];
  const spans = new Map<string, SampledSpan>();
  const lines = new SampledLines();
  const least = condition.kind === 'cost' ? PACE_OF_COST_MS : PACE_MS;
  const pace = Math.max(least, Math.ceil((to - from) / MOST_MOMENTS));
  for (let at = from; at <= to; at += pace) {
    lines.take(name, await findWhereThen(dataSource, condition, at), at);
    for (const span of lines.spans) spans.set(JSON.stringify([span.node, span.chain, span.from]), span);
  }
  return [...spans.values()];
}
