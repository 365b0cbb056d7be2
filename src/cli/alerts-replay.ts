import type { Database } from '../platform/sql.js';
import { findWhere, isRecorded } from '../alerts/condition-sampler.js';
import { readHealth } from '../alerts/health-spans.js';
import { readMonitoredTimes, type MonitoredTimes } from '../alerts/monitored-times.js';
import { NOT_ON_RECORD } from '../domain/alerts/alert-condition.js';
import type { AlertRule } from '../domain/alerts/alert-rules.js';
import type { Mute } from '../domain/alerts/alert-scope.js';
import { lookBackOf } from '../domain/alerts/decide-alerts.js';
import { AlertReplay, type Findings, type ReplayedMessages } from '../domain/alerts/replay-alerts.js';
import type { Finding } from '../domain/alerts/sampled-lines.js';
import { QUIET_MS } from '../domain/health/trouble.js';
import { microsToMillis, type Micros, type Millis } from '../domain/time.js';
import { UserError } from '../platform/errors.js';

/** The most intervals of health that a replay takes: it evaluates all of them at each of their ends. */
const MOST_REPLAYED = 3_000;
/** Limit of past moments at which conditions other than health are evaluated: one per minute, or fewer. */
const MOST_MOMENTS = 1_500;
const MINUTE: Millis = 60_000;
/** Step sizes; for a longer time the last one is doubled. A few seconds more or less of time do not change the step. */
const PACES: readonly Millis[] = [MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE];
/** The cost of a day or a month is read from many rows, and grows slowly. */
const PACE_OF_COST: Millis = 15 * MINUTE;

export interface ReplayRequest {
  readonly rules: readonly AlertRule[];
  readonly maintenance: readonly Mute[];
  readonly fromUs: Micros;
  readonly toUs: Micros;
  /** Position of the log: only what was recorded by then, and only health rules are evaluated. */
  readonly knownAt: bigint | undefined;
}

/** Messages that would have been sent, and rules that cannot be evaluated for the past. */
export interface Replay extends ReplayedMessages {
  readonly leftOut: readonly AlertRule[];
  /** Whether any node was monitored in that time; if not, the record says nothing about it. */
  readonly isWatched: boolean;
  /** Milliseconds between evaluations of conditions other than health. */
  readonly pace: Millis;
}

/** @throws UserError if the time has too many changes of health */
export async function replayPast(dataSource: Database, request: ReplayRequest): Promise<Replay> {
  const { maintenance: mutes, fromUs, toUs, knownAt } = request;
  const isAsked = ({ condition: { kind } }: AlertRule): boolean =>
    knownAt === undefined ? !(kind in NOT_ON_RECORD) : kind === 'health';
  const rules = request.rules.filter(isAsked);
  const [from, to] = [microsToMillis(fromUs), microsToMillis(toUs)];
  // Starts early enough that trouble at the beginning has lasted, or been calm, for the required time.
  const start = from - rules.reduce((most, { forMs }) => Math.max(most, forMs), 0) - QUIET_MS;
  const healthFrom = start - lookBackOf(rules);
  const times = await readMonitoredTimes(dataSource, healthFrom, knownAt);
  const period = {
    nodes: times.nodesBetween(healthFrom, to),
    from: healthFrom,
    to,
    knownAt,
    most: MOST_REPLAYED + 1,
  };
  const spans = await readHealth(dataSource, period);
  if (spans.length > MOST_REPLAYED) {
    throw new UserError(
      `There are more than ${MOST_REPLAYED} changes of health in that time.`,
      'Give a shorter time.',
    );
  }
  const health = spans.flatMap((span) => times.cut(span));
  const watchedAt = (at: Millis): string[] => [...times.nodesAt(at).keys()];
  const replay = new AlertReplay({ rules, health, mutes, watchedAt, moves: times.moves, start, from, to });
  const pace = findPace(to - start);
  for (let at = Math.ceil(start / pace) * pace; at <= to; at += pace)
    replay.look(at, await look(dataSource, rules, times, at));
  const leftOut = request.rules.filter((rule) => !isAsked(rule));
  return { ...replay.end(), leftOut, isWatched: times.nodesBetween(from, to).length > 0, pace };
}

function findPace(length: Millis): Millis {
  let pace = PACES.find((each) => length <= each * MOST_MOMENTS) ?? Math.max(...PACES);
  while (length > pace * MOST_MOMENTS) pace *= 2;
  return pace;
}

/** Findings of each rule other than health. Cost rules are evaluated less often. */
async function look(
  dataSource: Database,
  rules: readonly AlertRule[],
  times: MonitoredTimes,
  at: Millis,
): Promise<Findings> {
  const watched = times.nodesAt(at);
  const found = new Map<string, readonly Finding[]>();
  for (const { name, condition } of rules) {
    if (!isRecorded(condition) || (condition.kind === 'cost' && at % PACE_OF_COST !== 0)) continue;
    found.set(name, await findWhere(dataSource, condition, { watched, at }));
  }
  return found;
}
