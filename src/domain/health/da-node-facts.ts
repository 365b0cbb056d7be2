import type { DaNodeEvents, DaToken } from '../events.js';
import { readHeight, readInteger, toClockTime } from '../bounds.js';
import { nanosToMillis, type Millis } from '../time.js';
import { spentAfter, type Spending } from '../funds/spending.js';
import { addGap, type Gaps } from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';
import { NO_SYSTEM_FACTS, type SystemFacts } from './system-facts.js';

export interface AccountFacts {
  /** utia, in decimal digits; null: the DA node could not say at the last attempt, `detail` says why. */
  readonly amount: string | null;
  readonly detail: string;
  readonly at: Millis;
  /** Up to the last balance that is known. */
  readonly spending: Spending | null;
}

export interface DaNodeFacts extends SystemFacts {
  readonly token: DaToken | null;
  /** The newest header, with its own time. */
  readonly head: { readonly height: string; readonly timeMs: Millis } | null;
  /** The newest block of the consensus node at the last change of heads; null if none was seen. */
  readonly consensus: { readonly height: string; readonly timeMs: Millis } | null;
  /** Times between DA blocks, from pairs of heads. */
  readonly blockGaps: Gaps;
  readonly accounts: Readonly<Record<string, AccountFacts>>;
}

export const NO_DA_NODE_FACTS: DaNodeFacts = {
  ...NO_SYSTEM_FACTS,
  token: null,
  head: null,
  consensus: null,
  blockGaps: [],
  accounts: {},
};

/** A balance is recorded again within an hour; the settings no longer name an account without one. */
const FORGOTTEN_AFTER_MS: Millis = 3 * 3_600_000;
/** The settings name at most so many accounts of a node. */
export const MOST_ACCOUNTS = 20;

/** @param shiftMs between the observer's clock and the axis of the fold: the age of the head is measured on the axis */
export function noteHead(
  facts: DaNodeFacts,
  { height, timeNs, consensus }: DaNodeEvents['DaHeadObserved'],
  thresholds: HealthThresholds,
  shiftMs: Millis = 0,
): DaNodeFacts {
  const head = headOf(height, timeNs, shiftMs);
  if (head === null) return facts;
  const before = facts.head;
  const blocks = before === null ? 0 : Number(BigInt(head.height) - BigInt(before.height));
  const gapMs = before === null ? 0 : (head.timeMs - before.timeMs) / blocks;
  const isPair = blocks > 0 && gapMs > 0;
  return {
    ...facts,
    head,
    consensus: consensus ? headOf(consensus.height, consensus.timeNs, shiftMs) : null,
    blockGaps: isPair ? addGap(facts.blockGaps, gapMs, thresholds) : facts.blockGaps,
  };
}

function headOf(height: string, timeNs: string, shiftMs: Millis): DaNodeFacts['head'] {
  const number = readHeight(height);
  const timeMs = toClockTime(nanosToMillis(readInteger(timeNs) ?? 0n));
  return number === null || timeMs === null ? null : { height: String(number), timeMs: timeMs + shiftMs };
}

export function noteBalance(
  facts: DaNodeFacts,
  { account, amount, detail }: DaNodeEvents['BalanceObserved'],
  at: Millis,
): DaNodeFacts {
  if (!(account in facts.accounts) && Object.keys(facts.accounts).length >= MOST_ACCOUNTS) return facts;
  const spending = facts.accounts[account]?.spending ?? null;
  const known = {
    amount,
    detail,
    at,
    spending: amount === null ? spending : spentAfter(spending, amount, at),
  };
  const lately = Object.entries(facts.accounts).filter(([, each]) => at - each.at < FORGOTTEN_AFTER_MS);
  return { ...facts, accounts: { ...Object.fromEntries(lately), [account]: known } };
}
