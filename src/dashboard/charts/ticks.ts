const DAY_S = 86_400;
/** Marks further apart than this tell months. */
const MONTHS_FROM_S = 25 * DAY_S;

/**
 * Words for the marks of a time axis: hours where they are close, else days or months, by the clocks of the zone.
 * The first mark, and each that begins a day or a year, tells that as well.
 * @param seconds since 1970, ascending
 */
export function tickTexts(seconds: readonly number[], zone: string): string[] {
  const step = (seconds[1] ?? 0) - (seconds[0] ?? 0);
  const of = (parts: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...parts });
  const [day, year] = [of({ day: 'numeric', month: 'short' }), of({ year: 'numeric' })];
  const isOfMonths = step >= MONTHS_FROM_S;
  const small =
    step < DAY_S ? of({ hour: '2-digit', minute: '2-digit' }) : isOfMonths ? of({ month: 'short' }) : day;
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
