const NANOSECONDS_PER_SECOND = 1_000_000_000n;
const LARGEST_INT64 = 2n ** 63n - 1n;
/** Below which magnitude an integer is seconds, milliseconds, microseconds; each reaches beyond the year 5000. */
const UNITS: readonly (readonly [below: bigint, nanoseconds: bigint, digits: number])[] = [
  [10n ** 11n, NANOSECONDS_PER_SECOND, 9],
  [10n ** 14n, 1_000_000n, 6],
  [10n ** 17n, 1_000n, 3],
];
const ISO_TIME =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:[.,](\d{1,18}))?\s?(Z|[+-]\d\d:?\d\d|[+-]\d\d)?$/i;
const DECIMAL = /^(-?\d{1,20})(?:\.(\d{1,18}))?$/;
const ZERO_TIME_SECONDS = -62_135_596_800n;

/**
 * A time in Unix nanoseconds as a node wrote it: ISO text (UTC where no zone stands), or a number of seconds,
 * milliseconds, microseconds or nanoseconds, told apart by magnitude. Null for the zero time (0, empty text,
 * the year 1); undefined where it cannot be read, lies before 1970 or does not fit 64 bits (after 2262).
 */
export function readNodeTime(value: string | number): bigint | null | undefined {
  const text = String(value).trim();
  const nanoseconds = DECIMAL.test(text) ? numberToNs(text) : isoToNs(text);
  return nanoseconds !== undefined && nanoseconds !== null && nanoseconds > LARGEST_INT64
    ? undefined
    : nanoseconds;
}

function numberToNs(text: string): bigint | null | undefined {
  const [, whole = '', fraction = ''] = DECIMAL.exec(text) ?? [];
  const integer = BigInt(whole);
  if (integer <= 0n) {
    const isZeroTime = (integer === 0n && /^0*$/.test(fraction)) || integer === ZERO_TIME_SECONDS;
    return isZeroTime ? null : undefined;
  }
  const [, unit, digits] = UNITS.find(([below]) => integer < below) ?? [0n, 1n, 0];
  return integer * unit + BigInt(fraction.slice(0, digits).padEnd(digits, '0') || '0');
}

function isoToNs(text: string): bigint | null | undefined {
  if (text === '' || text.startsWith('0001-01-01T00:00:00')) {
    return null;
  }
  const [, day, clock, decimals = '', zone = 'Z'] = ISO_TIME.exec(text) ?? [];
  const milliseconds = Date.parse(`${day}T${clock}${zone.length === 3 ? `${zone}:00` : zone.toUpperCase()}`);
  if (Number.isNaN(milliseconds) || milliseconds < 0) {
    return undefined;
  }
  const nanoseconds = BigInt(milliseconds) * 1_000_000n + BigInt(decimals.slice(0, 9).padEnd(9, '0'));
  return nanoseconds === 0n ? null : nanoseconds;
}
