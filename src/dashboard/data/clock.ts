import { pageZone } from './view.js';

/** Creating one takes long, and pages show thousands of times. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** A time in the zone. @param ms since 1970 */
export function formatTime(ms: number, zone: string, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify([zone, options]);
  const known = formats.get(key) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options });
  formats.set(key, known);
  return known.format(ms);
}

/** The time of day, for lists that name the day elsewhere: `01:58:03`. @param ms since 1970 */
export function clock(ms: number): string {
  return formatTime(ms, pageZone(), { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

/** The day, with the zone's name at that time: `24 Nov 2026, UTC`. @param ms since 1970 */
export function day(ms: number): string {
  return formatTime(ms, pageZone(), {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZoneName: 'short',
  });
}
