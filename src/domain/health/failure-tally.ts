import type { FailureCode } from '../submissions/failure-cause.js';
import type { Millis } from '../time.js';
import { QUIET_MS } from './trouble.js';

/** This many failures in a row of another cause make it the current cause: a stray one does not. */
const ALIKE_COUNT = 3;

/** Failures by cause, since the last five minutes without one; failures of one run belong together, however rare. As JSON. */
export interface FailureTally {
  readonly causes: readonly {
    readonly code: FailureCode | null;
    readonly count: number;
    readonly text: string;
  }[];
  readonly latestAt: Millis | null;
  /** The cause of the latest failure, and how many failures in a row had it. */
  readonly latest: FailureCode | null;
  readonly alike: number;
  readonly now: FailureCode | null;
}

export const NO_FAILURES: FailureTally = { causes: [], latestAt: null, latest: null, alike: 0, now: null };

/**
 * Counts a failure that was seen at `at`; `text` says how it failed.
 *
 * @param isRun whether no success came since the failure before
 */
export function countFailure(
  before: FailureTally,
  { text, code }: { readonly text: string; readonly code: FailureCode | null },
  at: Millis,
  isRun: boolean,
): FailureTally {
  const isOn = isRun || (before.latestAt !== null && at - before.latestAt < QUIET_MS);
  const { causes, latest, alike: run, now } = isOn ? before : NO_FAILURES;
  const alike = code === latest ? run + 1 : 1;
  const known = causes.find((cause) => cause.code === code);
  const counted = { code, count: (known?.count ?? 0) + 1, text };
  return {
    causes: known ? causes.map((cause) => (cause === known ? counted : cause)) : [...causes, counted],
    latestAt: at,
    latest: code,
    alike,
    now: causes.length === 0 || alike >= ALIKE_COUNT ? code : now,
  };
}

/** `Most frequent cause (189 of 340 failures): out of funds. Latest cause: connection refused.`; undefined without failures. */
export function tallyText({ causes, now }: FailureTally): string | undefined {
  const [most] = causes.toSorted((a, b) => b.count - a.count);
  if (most === undefined) return undefined;
  const all = causes.reduce((sum, { count }) => sum + count, 0);
  const last = causes.find(({ code }) => code === now);
  if (causes.length === 1) return `All ${all} failures: ${most.text}.`;
  const end = last === undefined || last === most ? '' : ` Latest cause: ${last.text}.`;
  return `Most frequent cause (${most.count} of ${all} failures): ${most.text}.${end}`;
}
