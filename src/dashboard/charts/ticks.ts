import { formatTime } from '../data/clock.js';

const DAY_S = 86_400;
/** From this distance on, marks show months. */
const MONTHS_FROM_S = 25 * DAY_S;

const PARTS = {
  minute: { hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  month: { month: 'short' },
  year: { year: 'numeric' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/**
 * Words for the marks of a time axis: hours when they are close, otherwise days or months, by the clocks of the zone. The first
 * mark, and each that begins a day or a year, also shows that day or year.
 * @param seconds since 1970, ascending
 */
export function tickTexts(seconds: readonly number[], zone: string): string[] {
  const step = (seconds[1] ?? 0) - (seconds[0] ?? 0);
  const small = step < DAY_S ? PARTS.minute : step >= MONTHS_FROM_S ? PARTS.month : PARTS.day;
  const large = step < DAY_S ? PARTS.day : PARTS.year;
  let last = '';
  return seconds.map((second) => {
    const own = formatTime(second * 1000, zone, small);
    const added = formatTime(second * 1000, zone, large);
    const text = added === last ? own : `${own}\n${added}`;
    last = added;
    return text;
  });
}
