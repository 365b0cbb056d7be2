import { duration } from '../../domain/health/health-rule.js';
import { toPrintable } from '../../domain/printable-text.js';
import { formatTime } from './clock.js';
import { pageZone } from './view.js';

const COUNT = new Intl.NumberFormat('en-GB');
const THREE_DIGITS = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 3 });
const FOUR_DIGITS = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 4 });
const SHARE = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 });
const MICRO = 1_000_000;

/** A number with separators; `unknown` for null. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? 'unknown' : COUNT.format(value);
}

/** A number with four digits; `unknown` for null. */
export function decimal(value: number | null): string {
  return value === null ? 'unknown' : FOUR_DIGITS.format(value);
}

/** Utia in TIA; null is unknown. */
export function toTia(utia: number | null): number | null {
  return utia === null ? null : utia / MICRO;
}

/** A share from 0 to 1 in per cent; a share below 1 never becomes 100 %. */
export function share(value: number | null | undefined): string {
  if (value === null || value === undefined) return 'unknown';
  return SHARE.format(value < 1 ? Math.floor(value * 1000) / 1000 : value);
}

/** The shares of a whole in per cent, rounded so that they add up to 100 %; a part never becomes 0 % or 100 %. */
export function sharesOf(parts: readonly number[]): string[] {
  const sum = parts.reduce((so, part) => so + part, 0);
  if (!(sum > 0)) return parts.map(() => 'unknown');
  const exact = parts.map((part) => (1000 * part) / sum);
  const floors = exact.map(Math.floor);
  const missing = Math.round(1000 - floors.reduce((so, floor) => so + floor, 0));
  const need = (index: number): number => {
    const [value = 0, floor = 0] = [exact[index], floors[index]];
    return value > 0 && floor === 0 ? 1 : value - floor;
  };
  const first = [...parts.keys()].toSorted((a, b) => need(b) - need(a)).slice(0, missing);
  return floors.map((floor, index) => SHARE.format((floor + (first.includes(index) ? 1 : 0)) / 1000));
}

const SHORT_CLOCK = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
const WHOLE_CLOCK = { ...SHORT_CLOCK, year: 'numeric', second: '2-digit', timeZoneName: 'short' } as const;

/**
 * A time in the zone, with the zone's name: `24 Nov 2026, 01:58:03 UTC`.
 * @param at ISO 8601, or ms since 1970
 */
export function moment(at: string | number | null | undefined, zone = pageZone()): string {
  if (at === null || at === undefined) return 'never';
  return formatTime(typeof at === 'string' ? Date.parse(at) : at, zone, WHOLE_CLOCK);
}

/**
 * A time in the zone, for narrow places: `24 Nov, 01:58`, with its year if that is another one than the present year.
 * @param ms since 1970, as `presentMs`
 */
export function shortMoment(ms: number, presentMs: number, zone = pageZone()): string {
  const yearOf = (at: number): string => formatTime(at, zone, { year: 'numeric' });
  const year = yearOf(ms) === yearOf(presentMs) ? undefined : ('numeric' as const);
  return formatTime(ms, zone, { ...SHORT_CLOCK, year });
}

/** The formats of times in our own sentences: `2026-11-24T01:58:03Z`, `2026-11-24 01:58:03.120 UTC`. */
const RECORDED_TIME = /\d{4}-\d\d-\d\d(?:T| (?=\S+ UTC))(\d\d:\d\d:\d\d(?:\.\d+)?)(?:Z| UTC)/g;

/**
 * A recorded sentence, printable, with its UTC times converted to the zone.
 * @param longest in characters
 */
export function sentence(text: string, longest?: number, zone = pageZone()): string {
  return toPrintable(text, longest).replace(RECORDED_TIME, (recorded, clock: string) => {
    const ms = Date.parse(`${recorded.slice(0, 10)}T${clock}Z`);
    return Number.isNaN(ms) ? recorded : moment(ms, zone);
  });
}

/** The name of a value in words: `not included in block` for `NOT_INCLUDED_IN_BLOCK`. */
export function inWords(name: string): string {
  return name.toLowerCase().replaceAll('_', ' ');
}

/** The last ten bytes of a namespace, which its users choose: the bytes before them are the same for all. */
export function shortNamespace(namespace: string): string {
  return `…${toPrintable(namespace.slice(-20))}`;
}

/** Fees of a period: bounds in utia, and in a currency if there is a rate. */
export interface Money {
  readonly feeMinFloat: number | null;
  readonly feeMaxFloat: number | null;
  readonly fiatMinFloat: number | null;
  readonly fiatMaxFloat: number | null;
  readonly fiatUnit: string | null;
}

/** Bounds of a fee, given in utia, in TIA. */
export function tia(low: number | null, high: number | null): string {
  return money({
    feeMinFloat: low,
    feeMaxFloat: high,
    fiatMinFloat: null,
    fiatMaxFloat: null,
    fiatUnit: null,
  });
}

/** Money in the currency of its rate, or in TIA without a rate. */
export function money(row: Money | undefined): string {
  if (row === undefined) return 'unknown';
  if (row.fiatMaxFloat !== null && row.fiatUnit !== null)
    return `${bounds(row.fiatMinFloat, row.fiatMaxFloat)} ${row.fiatUnit}`;
  const [least, most] = [toTia(row.feeMinFloat), toTia(row.feeMaxFloat)];
  if (most === null) return least ? `at least ${decimal(least)} TIA` : 'unknown';
  return `${bounds(least, most)} TIA`;
}

function bounds(low: number | null, high: number): string {
  const [from, to] = [decimal(low), decimal(high)];
  return low === null ? `at most ${to}` : from === to ? to : `${from} to ${to}`;
}

/** Bytes in a suitable unit, in powers of 1,000, with three digits. */
export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return 'unknown';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)));
  return `${THREE_DIGITS.format(value / 1000 ** step)} ${units[step]}`;
}

/** A duration, given in milliseconds: seconds up to two minutes, then minutes and hours. */
export function timeSpan(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return 'unknown';
  return ms < 120_000 ? `${THREE_DIGITS.format(ms / 1000)} s` : duration(ms);
}
