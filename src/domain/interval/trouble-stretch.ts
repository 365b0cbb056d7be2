import type { HealthState } from '../health/health-rule.js';
import type { Micros } from '../time.js';

/** A state of health and how long it lasted. */
export interface StateSpan {
  readonly state: HealthState;
  readonly fromUs: Micros;
  /** Null: it lasts. */
  readonly toUs: Micros | null;
}

/** An unbroken stretch of trouble. */
export interface TroubleStretch {
  readonly fromUs: Micros;
  /** Null: it is not over. */
  readonly toUs: Micros | null;
  readonly worst: 'WARNING' | 'CRITICAL';
}

/** A calm that is shorter joins the trouble on both of its sides. */
const CALM_US: Micros = 300_000_000n;

/**
 * The stretch of trouble around a moment: intervals of WARNING and CRITICAL, joined over what else there is where that is shorter
 * than 5 minutes. Undefined where the moment lies in none.
 * @param spans by time, each beginning where the one before it ends
 */
export function findTrouble(spans: readonly StateSpan[], atUs: Micros): TroubleStretch | undefined {
  let open: TroubleStretch | undefined;
  for (const { state, fromUs, toUs } of spans) {
    if (state !== 'WARNING' && state !== 'CRITICAL') continue;
    const joined =
      open !== undefined && open.toUs !== null && fromUs - open.toUs < CALM_US ? open : undefined;
    if (joined === undefined && open !== undefined && contains(open, atUs)) return open;
    const worst = joined?.worst === 'CRITICAL' ? 'CRITICAL' : state;
    open = { fromUs: joined?.fromUs ?? fromUs, toUs, worst };
  }
  return open !== undefined && contains(open, atUs) ? open : undefined;
}

function contains({ fromUs, toUs }: TroubleStretch, atUs: Micros): boolean {
  return fromUs <= atUs && (toUs === null || atUs < toUs);
}
