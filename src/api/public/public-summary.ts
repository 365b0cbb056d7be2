import { createHash } from 'node:crypto';
import type { HealthState } from '../../domain/health/health-rule.js';
import type { Uptime } from '../../domain/health/uptime.js';
import type { Millis, Nanos } from '../../domain/time.js';

/** The state of a chain in words for strangers. */
export type PublicState = 'healthy' | 'degraded' | 'down' | 'unknown';

/** A day of UTC of the node with the most trouble. The three durations add up to the past part of the day. */
export interface PublicDay {
  readonly time: Nanos;
  readonly upMs: Millis;
  readonly downMs: Millis;
  readonly unknownMs: Millis;
}

/** An incident without anything that names or quotes a node. */
export interface PublicIncident {
  /** The same for every request; names no node. */
  readonly uuid: string;
  readonly title: string;
  readonly from: Nanos;
  /** Null while it is ongoing. */
  readonly to: Nanos | null;
}

/** Times from blocks to their inclusion on the DA layer. */
export interface FinalityTimes {
  /** Start of the period, which ends now. */
  readonly since: Nanos;
  readonly p50: Millis;
  readonly p90: Millis;
  readonly p99: Millis;
  /** Whether all blocks of the period are counted already. */
  readonly counted: boolean;
}

/** Everything that strangers may know of a chain. A part that its owner does not name is undefined; null: unknown. */
export interface PublicSummary {
  readonly chain: string;
  readonly at: Nanos;
  readonly state?: PublicState | undefined;
  readonly days?: readonly PublicDay[] | undefined;
  readonly incidents?: readonly PublicIncident[] | undefined;
  readonly finality?: FinalityTimes | null | undefined;
}

const WORST_FIRST: readonly (readonly [HealthState, PublicState])[] = [
  ['CRITICAL', 'down'],
  ['WARNING', 'degraded'],
  ['UNKNOWN', 'unknown'],
];

/** The worst of the states. Unknown is worse than healthy, and nothing is unknown. */
export function worstState(states: readonly HealthState[]): PublicState {
  if (states.length === 0) return 'unknown';
  return WORST_FIRST.find(([state]) => states.includes(state))?.[1] ?? 'healthy';
}

/** A day of one component of a node. */
interface NodeDay extends Uptime {
  readonly node: string;
  readonly time: Nanos;
}

/**
 * For each day the node with the most down time; among equals the node with the most unknown time. Days before a node's first
 * monitored day do not count, so that a new node does not hide what others showed.
 */
export class WorstDays {
  private readonly days = new Map<Nanos, RatedDay>();

  /** @param rows of one component; those of a node in the order of time */
  add(rows: readonly NodeDay[]): void {
    const monitored = new Set<string>();
    for (const { node, time, healthyMs, warningMs, criticalMs, unknownMs } of rows) {
      const upMs = healthyMs + warningMs;
      if (upMs + criticalMs > 0) monitored.add(node);
      const day = { time, upMs, downMs: criticalMs, unknownMs, isMonitored: monitored.has(node) };
      const known = this.days.get(time);
      if (known === undefined || isWorse(day, known)) this.days.set(time, day);
    }
  }

  /** Oldest first. */
  list(): PublicDay[] {
    return [...this.days.values()].map(({ time, upMs, downMs, unknownMs }) => ({
      time,
      upMs,
      downMs,
      unknownMs,
    }));
  }
}

type RatedDay = PublicDay & { readonly isMonitored: boolean };

function isWorse(day: RatedDay, known: RatedDay): boolean {
  if (day.isMonitored !== known.isMonitored) return day.isMonitored;
  return day.downMs === known.downMs ? day.unknownMs > known.unknownMs : day.downMs > known.downMs;
}

/** Share of the monitored time without down time, in percent, rounded down to two decimals; null if nothing was monitored. */
export function uptimePercent(days: readonly Omit<PublicDay, 'time'>[]): number | null {
  let [upMs, downMs] = [0, 0];
  for (const day of days) {
    upMs += day.upMs;
    downMs += day.downMs;
  }
  return upMs + downMs === 0 ? null : Math.floor((upMs / (upMs + downMs)) * 10_000) / 100;
}

/** A UUID of version 8 from the SHA-256 of a name. */
export function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}
