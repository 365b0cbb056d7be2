import { bytes, count, decimal, share, timeSpan } from '../data/words.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How the values of a chart are worded, and which distances between marks read well. */
export interface Unit {
  readonly format: (value: number) => string;
  readonly steps?: readonly number[];
}

/** `1, 2, 5` times each power of ten from `10^first` on. */
function decimals(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index)).flatMap((power) =>
    [1, 2, 5].map((digit) => digit * power),
  );
}

export const UNITS = {
  count: { format: count, steps: decimals(0, 12) },
  share: { format: share },
  bytes: { format: bytes, steps: decimals(0, 15) },
  decimal: { format: decimal },
  tia: { format: (value) => `${decimal(value)} TIA` },
  /** Milliseconds. */
  span: {
    format: timeSpan,
    steps: [
      ...decimals(0, 2),
      ...[1, 2, 5, 10, 20, 30].map((seconds) => seconds * SECOND_MS),
      ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE_MS),
      ...[1, 2, 4, 6, 12, 24, 48, 120, 240, 720].map((hours) => hours * HOUR_MS),
    ],
  },
} satisfies Readonly<Record<string, Unit>>;
