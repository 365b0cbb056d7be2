const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/**
 * A number of bytes for people, in powers of 1,000: `12.3 GB`.
 * @param decimals from 1 kB on; if left out, as many as give at most three digits
 */
export function formatBytes(bytes: bigint, decimals?: number): string {
  let value = Number(bytes);
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const digits = unit === 0 ? 0 : (decimals ?? (value < 99.95 ? 1 : 0));
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}
