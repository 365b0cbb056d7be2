import { nanosByMagnitude, type Nanos, parseTime } from './time.js';

const LARGEST_INT64 = 2n ** 63n - 1n;
/** Of the forms of a time, those to the second. */
const TO_THE_SECOND = /:\d\d:\d\d(?:[.,]\d{1,18})?\s?(?:Z|[+-]\d\d(?::?\d\d)?)?$/i;
const DECIMAL = /^(-?\d{1,20})(?:\.(\d{1,18}))?$/;
const ZERO_TIME_SECONDS = -62_135_596_800n;

/**
 * A time as a node wrote it: ISO text (UTC where no zone stands), or a number. Seconds, milliseconds, microseconds and
 * nanoseconds are told apart by magnitude. Null for the zero time (0, empty text, the year 1). Undefined where it
 * cannot be read, lies before 1970 or does not fit 64 bits (after 2262).
 */
export function readNodeTime(value: string | number): Nanos | null | undefined {
  const text = String(value).trim();
  const [, whole, decimals] = DECIMAL.exec(text) ?? [];
  const ns = whole === undefined ? readText(text) : readNumber(BigInt(whole), decimals);
  return ns !== null && ns !== undefined && ns > LARGEST_INT64 ? undefined : ns;
}

function readNumber(whole: bigint, decimals = ''): Nanos | null | undefined {
  if (whole > 0n) return nanosByMagnitude(whole, decimals);
  const isZeroTime = (whole === 0n && /^0*$/.test(decimals)) || whole === ZERO_TIME_SECONDS;
  return isZeroTime ? null : undefined;
}

function readText(text: string): Nanos | null | undefined {
  if (text === '' || text.startsWith('0001-01-01T00:00:00')) return null;
  const ns = TO_THE_SECOND.test(text) ? parseTime(text, 'rolling') : undefined;
  if (ns === undefined || ns < 0n) return undefined;
  return ns === 0n ? null : ns;
}
