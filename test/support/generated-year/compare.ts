import type { Figure, Figures } from './truth-figures.js';
import type { Answer } from './truth.js';

/** The allowed relative error of a sketch's percentile. */
const SKETCH_ERROR = 0.009;
const SHOWN = 25;

/** A distribution as the statistics report it. */
interface ToldDistribution {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
  readonly count: bigint;
}

/** Reported figures of a bucket and group; text, numbers, bigints and decimals alike. */
export type Told = Readonly<Record<string, unknown>>;

/** The first few differences, one per line. A figure that the statistics do not report is a difference. */
export function differences(told: ReadonlyMap<string, Told>, truth: Answer): string[] {
  const lines: string[] = [];
  for (const name of new Set([...truth.keys(), ...told.keys()])) {
    const figures = truth.get(name);
    const row = told.get(name);
    if (!figures) lines.push(`${readable(name)}: told of, though nothing is there`);
    else if (row) lines.push(...compareRow(readable(name), row, figures));
    else if (!isNothing(figures)) lines.push(`${readable(name)}: not told of: ${JSON.stringify(figures)}`);
  }
  return lines.length > SHOWN ? [...lines.slice(0, SHOWN), `and ${lines.length - SHOWN} more`] : lines;
}

function compareRow(name: string, row: Told, figures: Figures): string[] {
  return Object.entries(figures).flatMap(([figure, truth]) => {
    const value = row[figure];
    const isEqual = Array.isArray(truth)
      ? isDistribution(value as ToldDistribution | null | undefined, truth)
      : isSame(figure, value, truth as Exclude<Figure, readonly number[]>);
    return isEqual ? [] : [`${name} ${figure}: truth ${show(truth)}, told ${show(value)}`];
  });
}

function isSame(figure: string, value: unknown, truth: string | number | null): boolean {
  if (truth === null) return value === null;
  if (value === null || value === undefined) return truth === '0' && ofBlocks.test(figure);
  if (typeof truth === 'string') return textOf(value) === truth;
  return Math.abs(Number(value) - truth) <= 1e-9 * Math.max(1, Math.abs(truth));
}

/** Figures of blocks: when no block is known, their number is unknown, not 0. */
const ofBlocks = /^(blocks|transaction|pending)/;

function isDistribution(value: ToldDistribution | null | undefined, truth: readonly number[]): boolean {
  if (truth.length === 0 || !value) return truth.length === 0 && value === null;
  const isClose = (got: number, exact: number): boolean =>
    exact < 1 ? got <= 1 : Math.abs(got - exact) <= SKETCH_ERROR * exact;
  return (
    value.count === BigInt(truth.length) &&
    isClose(value.p50, percentile(truth, 0.5)) &&
    isClose(value.p90, percentile(truth, 0.9)) &&
    isClose(value.p99, percentile(truth, 0.99)) &&
    Math.abs(value.max - (truth.at(-1) ?? 0)) <= 0.001
  );
}

/** The smallest value that this share of the values does not exceed. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length - 1e-9) - 1)] ?? Number.NaN;
}

function isNothing(figures: Figures): boolean {
  return figures['attempts'] === null && figures['coverage'] === 0;
}

function readable(name: string): string {
  const [us = '0', ...group] = name.split(' ');
  return [new Date(Number(us) / 1000).toISOString().slice(0, 16), ...group].join(' ');
}

function show(value: unknown): string {
  if (Array.isArray(value)) {
    const values = value as readonly number[];
    const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => percentile(values, share));
    return values.length === 0
      ? 'nothing'
      : `n ${values.length} p50 ${p50} p90 ${p90} p99 ${p99} max ${values.at(-1)}`;
  }
  if (typeof value === 'object' && value !== null && 'p50' in value) {
    const { p50, p90, p99, max, count } = value as ToldDistribution;
    return `n ${count} p50 ${p50} p90 ${p90} p99 ${p99} max ${max}`;
  }
  return value === undefined ? 'no such figure' : value === null ? 'null' : textOf(value);
}

/** Decimals and integers have a `toString` of their own. */
function textOf(value: unknown): string {
  return (value as { toString(): string }).toString();
}
