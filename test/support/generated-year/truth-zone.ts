export type TruthBucket = 'QUARTER_HOUR' | 'HOUR' | 'DAY' | 'WEEK' | 'MONTH' | 'YEAR';

const QUARTER_MS = 900_000;
const MONDAY = 1;
const FROM = Date.UTC(2024, 11, 25);
const TO = Date.UTC(2027, 0, 5);
const SIZES: readonly TruthBucket[] = ['QUARTER_HOUR', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'];

/** The buckets of a zone, found by reading its clock at every quarter hour of two years. */
export class TruthZone {
  private readonly starts = new Map<TruthBucket, number[]>(SIZES.map((size) => [size, []]));

  constructor(zone: string) {
    // The Swedish locale writes a time as 2025-10-26 02:45.
    const clock = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'short',
    });
    let today = '';
    for (let ms = FROM; ms < TO; ms += QUARTER_MS) {
      const wall = clock.format(ms);
      const day = wall.slice(0, 10);
      this.startsAt(ms, 'QUARTER_HOUR');
      if (wall.endsWith(':00')) this.startsAt(ms, 'HOUR');
      if (day === today) continue;
      today = day;
      this.startsAt(ms, 'DAY');
      if (new Date(day).getUTCDay() === MONDAY) this.startsAt(ms, 'WEEK');
      if (day.endsWith('-01')) this.startsAt(ms, 'MONTH');
      if (day.endsWith('-01-01')) this.startsAt(ms, 'YEAR');
    }
  }

  /** Buckets that overlap a time, in Unix microseconds; they may extend beyond both ends. */
  bucketsOf(fromUs: bigint, toUs: bigint, size: TruthBucket): { startUs: bigint; endUs: bigint }[] {
    const starts = this.starts.get(size) ?? [];
    const buckets: { startUs: bigint; endUs: bigint }[] = [];
    for (const [index, start] of starts.entries()) {
      const startUs = BigInt(start) * 1000n;
      const endUs = BigInt(starts[index + 1] ?? TO) * 1000n;
      if (startUs < toUs && endUs > fromUs) buckets.push({ startUs, endUs });
    }
    return buckets;
  }

  private startsAt(ms: number, size: TruthBucket): void {
    this.starts.get(size)?.push(ms);
  }
}
