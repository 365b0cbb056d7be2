const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** A number of bytes for people, in powers of 1,000 with three digits at most: `12.3 GB`. */
export function formatBytes(bytes: bigint): string {
  let value = Number(bytes);
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const digits = unit > 0 && value < 99.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}
