import { fillBuckets, type ChartBucket } from './buckets.js';
import type { ChartProps, Colour } from './chart-props.js';

/** A value of a part of a sum in a bucket; null is unknown. */
export interface PartOfBucket {
  readonly time: string;
  readonly part: string;
  readonly value: number | null;
}

/** Colours of parts, the largest part first; the remaining parts share the last colour. */
const COLOURS: readonly Colour[] = ['--part-1', '--part-2', '--part-3', '--part-4', '--part-5'];
const OTHERS = 'the others';

/**
 * Stacked bars of parts, the part with the largest total at the bottom. Parts beyond the fifth are joined. Unknown values are
 * left out, so the caller must say how much is unknown.
 */
export function stackOf(
  rows: readonly PartOfBucket[],
  bucket: ChartBucket,
): Pick<ChartProps, 'times' | 'lines'> {
  const sums = new Map<string, number>();
  for (const { part, value } of rows) sums.set(part, (sums.get(part) ?? 0) + (value ?? 0));
  const ranked = [...sums].toSorted((a, b) => b[1] - a[1]).map(([part]) => part);
  const named = ranked.length > COLOURS.length ? ranked.slice(0, COLOURS.length - 1) : ranked;
  const parts = named.length < ranked.length ? [...named, OTHERS] : named;
  const byTime = new Map<string, Map<string, number>>();
  for (const { time, part, value } of rows) {
    if (value === null) continue;
    const name = named.includes(part) ? part : OTHERS;
    const bar = byTime.get(time) ?? new Map<string, number>();
    bar.set(name, (bar.get(name) ?? 0) + value);
    byTime.set(time, bar);
  }
  const bars = [...byTime]
    .map(([time, bar]) => ({ time, bar }))
    .toSorted((a, b) => (a.time < b.time ? -1 : 1));
  const filled = fillBuckets(bars, bucket);
  const lines = parts.map((part, rank) => ({
    label: part,
    colour: COLOURS[rank] ?? '--quiet',
    bars: true,
    shown: filled.rows.map((row) => row?.bar.get(part) ?? null),
    values: filled.rows.map((row) =>
      row === undefined
        ? null
        : parts.slice(0, rank + 1).reduce((sum, below) => sum + (row.bar.get(below) ?? 0), 0),
    ),
  }));
  return { times: filled.times, lines: lines.toReversed() };
}
