import { moment } from '../data/words.js';
import type { InPart, UncoveredRange } from './buckets.js';

/** Colours of `tokens.css`; the numbered ones distinguish the parts of a sum. */
export type Colour = '--accent' | '--critical' | '--warning' | '--quiet' | `--part-${1 | 2 | 3 | 4 | 5}`;

/** A line of a chart: null is a gap. */
export interface ChartLine {
  readonly label: string;
  readonly colour: Colour;
  readonly values: readonly (number | null)[];
  /** Draws values as bars from zero: in a stack, the tallest bar comes first and the next is drawn over it. */
  readonly bars?: boolean;
  /** For bounds and expected values, which are no figures. */
  readonly dashed?: boolean;
  /** The value to report where it differs from the drawn one: the part of a stack, not its height. */
  readonly shown?: readonly (number | null)[];
}

/** The lines of a chart and their words. The charts of a page share their cursor. */
export interface ChartProps {
  readonly title: string;
  /** Starts of buckets, ascending; seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly format: (value: number) => string;
  /** Distances between the marks of the axis that read well in the unit of the values, ascending. */
  readonly steps?: readonly number[] | undefined;
  /** Fills the space between the first two lines: bounds of a value. */
  readonly isBand?: boolean;
  /** The summary of the chart, if it is not that of its first line. */
  readonly summary?: string;
  /** The largest value of the axis, if it is fixed. */
  readonly top?: number | undefined;
  /** Shaded: the values there may be lower than the real ones. */
  readonly uncovered?: readonly UncoveredRange[];
  /** Hatched: these buckets are only partly counted. */
  readonly inPart?: readonly InPart[];
  /** The zone of the buckets; the page's when left out. */
  readonly zone?: string;
  /** The range shown, even if nothing is known of its ends; ms since 1970. */
  readonly span: { readonly fromMs: number; readonly toMs: number };
  /** Called with a selected stretch, ms since 1970. Left out for charts without zoom. */
  readonly onZoom?: (fromMs: number, toMs: number) => void;
}

export const IN_PART = ' (in part)';

/** Whether the bucket at an index is only partly counted. */
export function isInPart({
  times,
  inPart = [],
}: Pick<ChartProps, 'times' | 'inPart'>): (index: number) => boolean {
  const starts = new Set(inPart.map(({ from }) => from));
  return (index) => starts.has(times[index] ?? Number.NaN);
}

export function timeOfBucket(seconds: number | undefined, zone?: string): string {
  return seconds === undefined ? '' : moment(seconds * 1000, zone);
}
