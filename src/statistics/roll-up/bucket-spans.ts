import {
  bucketStart,
  hasWholeHourOffsets,
  isTimeZone,
  nextBucket,
} from '../../domain/statistics/time-buckets.js';
import type { Query } from '../../platform/sql.js';
import type { MergedBucket } from './merge-buckets.js';
import { Grain } from './stored-rows.js';
import { quarterOf, type Subject } from './subject.js';

const HOUR_US = 3_600_000_000n;
const UTC = 'UTC';

interface Day {
  readonly startUs: bigint;
  readonly endUs: bigint;
  /** What it is added up from: hours or, where its zone's hours are not those of UTC, quarters. */
  readonly fromGrain: number;
}

/** Zones by whose days chains report. */
export class ReportingZones {
  private readonly days = new Map<string, Day>();

  private constructor(private readonly zones: ReadonlyMap<string, string>) {}

  static async load(query: Query): Promise<ReportingZones> {
    const rows = await query<{ chain: string; zone: string }>(
      'SELECT chain, reporting_time_zone AS zone FROM chain_setting',
    );
    // What this engine does not know as a zone must not stop the figures of all.
    return new ReportingZones(new Map(rows.map(({ chain, zone }) => [chain, isTimeZone(zone) ? zone : UTC])));
  }

  /** The day of a subject that a moment lies in. */
  dayBucket({ nodeKey, chain }: Subject, us: bigint): MergedBucket {
    const { startUs, endUs, fromGrain } = this.dayOf(this.zones.get(chain) ?? UTC, us);
    return { grain: Grain.DAY, fromGrain, nodeKey, chain, bucketUs: startUs, toUs: endUs };
  }

  private dayOf(zone: string, us: bigint): Day {
    // Days begin with quarters, so all moments of a quarter have the same day.
    const name = `${quarterOf(us)} ${zone}`;
    let day = this.days.get(name);
    if (!day) {
      const startUs = bucketStart(us, 'DAY', zone);
      const endUs = nextBucket(startUs, 'DAY', zone);
      const hasHours = hasWholeHourOffsets(zone, startUs, endUs);
      day = { startUs, endUs, fromGrain: hasHours ? Grain.HOUR : Grain.QUARTER };
      this.days.set(name, day);
    }
    return day;
  }
}

/** The hour of UTC that a moment lies in. */
export function hourBucket({ nodeKey, chain }: Subject, us: bigint): MergedBucket {
  const bucketUs = bucketStart(us, 'HOUR', UTC);
  return { grain: Grain.HOUR, fromGrain: Grain.QUARTER, nodeKey, chain, bucketUs, toUs: bucketUs + HOUR_US };
}
