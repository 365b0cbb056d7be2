import {
  bucketStart,
  hasWholeHourOffsets,
  isTimeZone,
  nextBucket,
} from '../../domain/statistics/time-buckets.js';
import type { Micros } from '../../domain/time.js';
import type { Query } from '../../platform/sql.js';
import type { MergedBucket } from './merge-buckets.js';
import { Grain } from './stored-rows.js';
import { quarterOf, type Owner } from './owner.js';

const HOUR_US = 3_600_000_000n;
const UTC = 'UTC';

/** No zone has had a longer day; one of a zone may begin so long before one of another that it overlaps. */
export const LONGEST_DAY_US = 26n * HOUR_US;

interface Day {
  readonly bucketAt: Micros;
  readonly toAt: Micros;
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

  /** The day of an owner that a moment lies in. */
  dayBucket({ nodeKey, chain }: Owner, us: Micros): MergedBucket {
    return { grain: Grain.DAY, nodeKey, chain, ...this.dayOf(this.zones.get(chain) ?? UTC, us) };
  }

  private dayOf(zone: string, us: Micros): Day {
    // Days begin with quarters, so all moments of a quarter have the same day.
    const name = `${quarterOf(us)} ${zone}`;
    let day = this.days.get(name);
    if (!day) {
      const bucketAt = bucketStart(us, 'DAY', zone);
      const toAt = nextBucket(bucketAt, 'DAY', zone);
      const hasHours = hasWholeHourOffsets(zone, bucketAt, toAt);
      day = { bucketAt, toAt, fromGrain: hasHours ? Grain.HOUR : Grain.QUARTER };
      this.days.set(name, day);
    }
    return day;
  }
}

/** The hour of UTC that a moment lies in. */
export function hourBucket({ nodeKey, chain }: Owner, us: Micros): MergedBucket {
  const bucketAt = bucketStart(us, 'HOUR', UTC);
  return { grain: Grain.HOUR, fromGrain: Grain.QUARTER, nodeKey, chain, bucketAt, toAt: bucketAt + HOUR_US };
}
