const DAY_S = 86_400;
/** From this distance on, marks show months. */
const MONTHS_FROM_S = 25 * DAY_S;

const PARTS = {
  minute: { hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  month: { month: 'short' },
  year: { year: 'numeric' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Creating one takes long, and each chart asks for its marks several times. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string, name: keyof typeof PARTS): Intl.DateTimeFormat {
  const key = `${name} ${zone}`;
  const clock = clocks.get(key) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...PARTS[name] });
  clocks.set(key, clock);
  return clock;
}

/**
 * Words for the marks of a time axis: hours when they are close, otherwise days or months, by the clocks of the zone. The first
 * mark, and each that begins a day or a year, also shows that day or year.
 * @param seconds since 1970, ascending
 */
export function tickTexts(seconds: readonly number[], zone: string): string[] {
  const step = (seconds[1] ?? 0) - (seconds[0] ?? 0);
  const of = (name: keyof typeof PARTS) => clockOf(zone, name);
  const [day, year] = [of('day'), of('year')];
  const isOfMonths = step >= MONTHS_FROM_S;
  const small = step < DAY_S ? of('minute') : isOfMonths ? of('month') : day;
  const large = step < DAY_S ? day : year;
  let last = '';
  return seconds.map((second) => {
    const date = new Date(second * 1000);
    const told = large.format(date);
    const text = told === last ? small.format(date) : `${small.format(date)}\n${told}`;
    last = told;
    return text;
  });
}
