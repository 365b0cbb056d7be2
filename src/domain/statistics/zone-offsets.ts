/** The limit of JavaScript dates in seconds since 1970, in both directions. */
const LAST_SECOND = 8.64e12;
const DAY_SECONDS = 86_400;

/** About ten years of days for each of a hundred zones: a few megabytes at most. */
const REMEMBERED_DAYS = 4_000;
const REMEMBERED_ZONES = 100;

/** A period with one offset, in seconds since 1970: `from` inclusive, `to` exclusive. */
export interface OffsetSpan {
  readonly from: number;
  readonly to: number;
  /** Seconds that local time is ahead of UTC. */
  readonly offset: number;
}

/** A name of the IANA database begins with a letter; offsets such as `+05:30` are not names. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;

const zones = new Map<string, ZoneOffsets>();

/** @throws RangeError if the zone is unknown */
export function zoneOffsets(zone: string): ZoneOffsets {
  // Names are case-insensitive; without this, each spelling would be remembered as another zone.
  const key = zone.toLowerCase();
  const known = zones.get(key);
  if (known) return known;
  if (!ZONE_NAME.test(zone)) throw new RangeError(`Not a time zone: ${zone.slice(0, 64)}`);
  const added = new ZoneOffsets(zone);
  if (zones.size >= REMEMBERED_ZONES) zones.clear();
  zones.set(key, added);
  return added;
}

/**
 * The offsets of a zone's clocks from UTC, by the JavaScript engine's own copy of the IANA database. They include seconds, as in
 * local mean time before standard time. Two changes within one UTC day that undo each other would go unnoticed; the database has
 * none.
 */
export class ZoneOffsets {
  private readonly format: Intl.DateTimeFormat | null;
  private readonly days = new Map<number, number>();
  private readonly changes = new Map<number, number>();

  constructor(zone: string) {
    const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    this.format = made.resolvedOptions().timeZone === 'UTC' ? null : made;
  }

  /** Offset at a moment, in seconds; beyond the range of dates, the offset at its limit. */
  at(seconds: number): number {
    const day = Math.floor(seconds / DAY_SECONDS);
    const start = this.ofDay(day);
    const end = this.ofDay(day + 1);
    return start === end || seconds < this.changeIn(day) ? start : end;
  }

  get isUtc(): boolean {
    return this.format === null;
  }

  /** The first change of the offset after `from`, up to `to` inclusive; undefined if there is none. */
  changeWithin(from: number, to: number): number | undefined {
    for (let day = Math.floor(from / DAY_SECONDS); day <= Math.floor(to / DAY_SECONDS); day++) {
      if (this.ofDay(day) === this.ofDay(day + 1)) continue;
      const change = this.changeIn(day);
      if (change > from && change <= to) return change;
    }
    return undefined;
  }

  /** The periods that touch the time from `from` to `to`, extended to whole UTC days, without gaps. */
  *spans(from: number, to: number): Generator<OffsetSpan> {
    const last = Math.floor(to / DAY_SECONDS);
    let start = Math.floor(from / DAY_SECONDS) * DAY_SECONDS;
    for (let day = start / DAY_SECONDS; day <= last; day++) {
      const offset = this.ofDay(day);
      if (this.ofDay(day + 1) === offset) continue;
      const change = this.changeIn(day);
      if (change > start) yield { from: start, to: change, offset };
      start = change;
    }
    const end = (last + 1) * DAY_SECONDS;
    if (end > start) yield { from: start, to: end, offset: this.ofDay(last + 1) };
  }

  private ofDay(day: number): number {
    if (this.format === null) return 0;
    const known = this.days.get(day);
    if (known !== undefined) return known;
    if (this.days.size >= REMEMBERED_DAYS) {
      this.days.clear();
      this.changes.clear();
    }
    const offset = this.read(day * DAY_SECONDS);
    this.days.set(day, offset);
    return offset;
  }

  /** First second of a day with the offset of its end. */
  private changeIn(day: number): number {
    const known = this.changes.get(day);
    if (known !== undefined) return known;
    const before = this.ofDay(day);
    let low = day * DAY_SECONDS;
    let high = low + DAY_SECONDS;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.read(middle) === before) low = middle;
      else high = middle;
    }
    this.changes.set(day, high);
    return high;
  }

  private read(seconds: number): number {
    const clamped = Math.min(Math.max(seconds, -LAST_SECOND), LAST_SECOND);
    const text = this.format?.format(clamped * 1000) ?? '';
    // The date, then GMT, GMT+05:45 or GMT-00:44:30.
    const [, sign, hours, minutes, seconds_] = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(text) ?? [];
    const size = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds_ ?? 0);
    return sign === '-' ? -size : size;
  }
}
