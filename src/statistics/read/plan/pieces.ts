import { bucketStart, hasWholeHourOffsets, nextBucket } from '../../../domain/statistics/time-buckets.js';
import type { Micros } from '../../../domain/time.js';
import { Grain } from '../../roll-up/stored-rows.js';
import { isFine, type PlannedBucket } from './report-request.js';

/** A time range that is read from rows of one grain; the end is exclusive. */
export interface GrainRange {
  readonly grain: number;
  readonly fromUs: Micros;
  readonly toUs: Micros;
}

/** The time of a report, from a whole quarter hour on, and the zone of its buckets. */
export interface ReportTime {
  readonly bucket: PlannedBucket;
  readonly zone: string;
  readonly fromUs: Micros;
  readonly toUs: Micros;
}

/**
 * The time ranges that a report reads for a chain, each moment once. They have the coarsest stored grain whose buckets lie
 * entirely in one bucket of the report. Buckets that the report's ends cut are read as quarters, without the quarter that its
 * end cuts. Buckets shorter than a quarter have no stored rows.
 * @param ownZone the chain's reporting zone, in which its days are stored. If undefined, days may begin elsewhere, and are not
 * read
 */
export function piecesOf(time: ReportTime, ownZone: string | undefined): GrainRange[] {
  const { bucket, zone, fromUs } = time;
  const toUs = bucketStart(time.toUs, 'QUARTER_HOUR', 'UTC');
  const whole = { ...time, toUs };
  if (isFine(bucket)) return [];
  if (bucket === 'QUARTER_HOUR') return [{ grain: Grain.QUARTER, fromUs, toUs }];
  if (bucket !== 'HOUR' && zone === ownZone) return split(whole, 'DAY');
  if (hasWholeHourOffsets(zone, fromUs, toUs)) return split(whole, 'HOUR');
  return [{ grain: Grain.QUARTER, fromUs, toUs }];
}

/**
 * Everything before a moment (a quarter hour): whole days of the chain, or hours, then quarters.
 * @param ownZone as in {@link piecesOf}
 */
export function piecesBefore(us: Micros, ownZone: string | undefined): GrainRange[] {
  const size = ownZone === undefined ? 'HOUR' : 'DAY';
  const last = bucketStart(us, size, ownZone ?? 'UTC');
  const whole = { grain: Grain[size], fromUs: BEGINNING, toUs: last };
  return last === us ? [whole] : [whole, { grain: Grain.QUARTER, fromUs: last, toUs: us }];
}

/** Before anything that can be recorded: the year 1. */
const BEGINNING: Micros = -62_135_596_800_000_000n;

function split({ zone, fromUs, toUs }: ReportTime, size: 'HOUR' | 'DAY'): GrainRange[] {
  // Hours are stored as hours of UTC, which here are the hours of the zone.
  const sizeZone = size === 'HOUR' ? 'UTC' : zone;
  const start = bucketStart(fromUs, size, sizeZone);
  const first = start === fromUs ? start : nextBucket(fromUs, size, sizeZone);
  const last = bucketStart(toUs, size, sizeZone);
  if (first >= last) return [{ grain: Grain.QUARTER, fromUs, toUs }];
  const pieces = [
    { grain: Grain.QUARTER, fromUs, toUs: first },
    { grain: Grain[size], fromUs: first, toUs: last },
    { grain: Grain.QUARTER, fromUs: last, toUs },
  ];
  return pieces.filter((piece) => piece.fromUs < piece.toUs);
}
