import type { View } from './view.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The shortest range that a stretch selected in a chart is widened to. */
const SHORTEST_MS = 5 * MINUTE_MS;

/** The ranges on offer, up to the moment shown: name in the address, words, and ms. */
export const RANGES = [
  ['15m', '15 minutes', 15 * MINUTE_MS],
  ['1h', '1 hour', HOUR_MS],
  ['6h', '6 hours', 6 * HOUR_MS],
  ['1d', '24 hours', DAY_MS],
  ['7d', '7 days', 7 * DAY_MS],
  ['30d', '30 days', 30 * DAY_MS],
  ['90d', '90 days', 90 * DAY_MS],
  ['1y', '1 year', 365 * DAY_MS],
  ['5y', '5 years', 1_826 * DAY_MS],
] as const;

/** A range of time; ms since 1970. */
export interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The range of the address: `from` and `to`, or `last` up to the present or to `asOf`; seven days when left out. Invalid values
 * count as left out.
 * @param nowMs the present, ms since 1970
 */
export function rangeOf(view: Pick<View, 'get'>, nowMs: number): Range {
  const to = readMs(view.get('to'));
  const toMs = Number.isNaN(to) ? momentMsOf(view, nowMs) : to;
  const from = readMs(view.get('from'));
  const lengthMs = RANGES.find(([name]) => name === view.get('last'))?.[2] ?? 7 * DAY_MS;
  const fromMs = Number.isNaN(from) || from >= toMs ? toMs - lengthMs : from;
  return { fromMs, toMs };
}

/** Whether the address names no range. */
export function isUsualRange(view: Pick<View, 'get'>): boolean {
  return ['from', 'to', 'last'].every((name) => view.get(name) === '');
}

/** The range of rows that the address names; both ends are null without one. `to` is null up to the present. */
export function rowRangeOf(
  view: Pick<View, 'get'>,
  nowMs: number,
): { readonly from: string | null; readonly to: string | null } {
  if (isUsualRange(view)) return { from: null, to: null };
  const { fromMs, toMs } = rangeOf(view, nowMs);
  return {
    from: new Date(fromMs).toISOString(),
    to: view.get('to') === '' ? null : new Date(toMs).toISOString(),
  };
}

/** The moment `asOf` of the address, or the present when it is left out or invalid; ms since 1970. */
export function momentMsOf(view: Pick<View, 'get'>, nowMs: number): number {
  const asOf = readMs(view.get('asOf'));
  return Number.isNaN(asOf) ? nowMs : asOf;
}

/** A selected stretch, widened to whole minutes and to at least five of them. */
export function zoomedTo(fromMs: number, toMs: number): { readonly from: string; readonly to: string } {
  const middle = (fromMs + toMs) / 2;
  const from = Math.floor(Math.min(fromMs, middle - SHORTEST_MS / 2) / MINUTE_MS) * MINUTE_MS;
  const to = Math.ceil(Math.max(toMs, middle + SHORTEST_MS / 2) / MINUTE_MS) * MINUTE_MS;
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

/** Sets the range of the address, and resets all lists of the page to their start. */
export function setRange(view: View, range: Readonly<Record<'from' | 'to' | 'last', string>>): void {
  view.set({ ...range, after: '', lossesAfter: '', blocksAfter: '' });
}

/** Zooms in on a stretch; ms since 1970. */
export function zoomTo(view: View, fromMs: number, toMs: number): void {
  setRange(view, { ...zoomedTo(fromMs, toMs), last: '' });
}

/** A moment after 1970, in ms; NaN for anything else. */
function readMs(text: string): number {
  const ms = Date.parse(text);
  return ms > 0 ? ms : Number.NaN;
}
