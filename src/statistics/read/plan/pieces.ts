import {
  bucketStart,
  hasWholeHourOffsets,
  nextBucket,
  type BucketSize,
} from '../../../domain/statistics/time-buckets.js';
import type { ReportBucket } from './report-request.js';

/** Stored grains, as in `statistic.grain`. */
export const QUARTERS = 0;
const HOURS = 1;
const DAYS = 2;

/** A stretch of time that is read from rows of one grain. Unix microseconds; the end is exclusive. */
export interface Piece {
  readonly grain: number;
  readonly fromUs: bigint;
  readonly toUs: bigint;
}

/** The time of a report, in whole quarter hours, and the zone of its buckets. */
export interface ReportTime {
  readonly bucket: ReportBucket;
  readonly zone: string;
  readonly fromUs: bigint;
  readonly toUs: bigint;
}

/**
 * The rows that a report reads of a chain, each moment once: the coarsest stored grain whose buckets lie whole in one of
 * the report's, and quarters for what the report's ends cut off.
 * @param ownZone the chain's reporting zone, in which its days are stored
 */
export function piecesOf(time: ReportTime, ownZone: string): Piece[] {
  const { bucket, zone, fromUs, toUs } = time;
  if (bucket !== 'HOUR' && zone === ownZone) return split(time, DAYS, 'DAY');
  if (hasWholeHourOffsets(zone, fromUs, toUs)) return split(time, HOURS, 'HOUR');
  return [{ grain: QUARTERS, fromUs, toUs }];
}

/** Everything before a moment (a quarter hour): whole days of the chain, then quarters. */
export function piecesBefore(us: bigint, ownZone: string): Piece[] {
  const day = bucketStart(us, 'DAY', ownZone);
  const days = { grain: DAYS, fromUs: BEGINNING, toUs: day };
  return day === us ? [days] : [days, { grain: QUARTERS, fromUs: day, toUs: us }];
}

/** Before anything that can be recorded: the year 1. */
const BEGINNING = -62_135_596_800_000_000n;

function split({ zone, fromUs, toUs }: ReportTime, grain: number, size: BucketSize): Piece[] {
  // Hours are stored as those of UTC, which here are those of the zone.
  const sizeZone = size === 'HOUR' ? 'UTC' : zone;
  const start = bucketStart(fromUs, size, sizeZone);
  const first = start === fromUs ? start : nextBucket(fromUs, size, sizeZone);
  const last = bucketStart(toUs, size, sizeZone);
  if (first >= last) return [{ grain: QUARTERS, fromUs, toUs }];
  const pieces = [
    { grain: QUARTERS, fromUs, toUs: first },
    { grain, fromUs: first, toUs: last },
    { grain: QUARTERS, fromUs: last, toUs },
  ];
  return pieces.filter((piece) => piece.fromUs < piece.toUs);
}
