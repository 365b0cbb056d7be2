import type { View } from './view.js';

const DAY_MS = 86_400_000;

/** Ranges that are offered, up to the moment that is shown; days. */
export const RANGES = [
  ['1 day', 1],
  ['7 days', 7],
  ['30 days', 30],
  ['90 days', 90],
  ['1 year', 365],
  ['5 years', 1_826],
] as const;

/**
 * The range of the address: `from` and `to`, else `days` up to the present or to `asOf`; seven days when left out.
 * What cannot be read counts as left out.
 * @param nowMs the present, ms since 1970
 */
export function rangeOf(
  view: Pick<View, 'get'>,
  nowMs: number,
): { readonly fromMs: number; readonly toMs: number } {
  const asOf = readMs(view.get('asOf'));
  const to = readMs(view.get('to'));
  const toMs = !Number.isNaN(to) ? to : Number.isNaN(asOf) ? nowMs : asOf;
  const from = readMs(view.get('from'));
  const days = RANGES.find(([, number]) => String(number) === view.get('days'))?.[1] ?? 7;
  const fromMs = Number.isNaN(from) || from >= toMs ? toMs - days * DAY_MS : from;
  return { fromMs, toMs };
}

/** A moment after 1970; NaN for all else. */
function readMs(text: string): number {
  const ms = Date.parse(text);
  return ms > 0 ? ms : Number.NaN;
}
