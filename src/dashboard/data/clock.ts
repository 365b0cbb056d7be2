/** Creating one takes long, and lists show hundreds of times. */
const formats = new Map<string, Intl.DateTimeFormat>();

function format(ms: number, zone: string, options: Intl.DateTimeFormatOptions): string {
  const key = `${zone} ${Object.keys(options).join(' ')}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options });
  formats.set(key, known);
  return known.format(ms);
}

/** The time of day in the zone, for lists that name the day elsewhere: `01:58:03`. @param ms since 1970 */
export function clock(ms: number, zone: string): string {
  return format(ms, zone, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

/** The day in the zone, with the zone's name at that time: `24 Nov 2026, UTC`. @param ms since 1970 */
export function day(ms: number, zone: string): string {
  return format(ms, zone, { day: 'numeric', month: 'short', year: 'numeric', timeZoneName: 'short' });
}
