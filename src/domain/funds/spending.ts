import { LARGEST_MONEY, readInteger } from '../bounds.js';
import type { Millis } from '../time.js';

const HOUR_MS: Millis = 3_600_000;
export const SPENDING_WINDOWS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const;
const KEPT_HOURS = SPENDING_WINDOWS.week / HOUR_MS + 1;
/** The number of falls of the balance within a window from which a rate is known. */
const FALLS_FOR_RATE = 3;
/** Falls within less time than this show no rate: a few submissions may come at once. */
const LEAST_COVERED_MS: Millis = 60_000;

/** The falls of a balance within one hour of UTC. */
export interface SpentHour {
  /** Hours since 1970. */
  readonly hour: number;
  /** utia, in decimal digits. */
  readonly spent: string;
  readonly falls: number;
  readonly largest: string;
}

/** The spending of an account, from its balances: falls are spending, rises are top-ups. Plain JSON, bounded to a week. */
export interface Spending {
  /** The last balance, utia, and when it was read. */
  readonly amount: string;
  readonly at: Millis;
  readonly firstAt: Millis;
  /** Hours with falls, oldest first. */
  readonly hours: readonly SpentHour[];
}

/**
 * Adds a balance. Between two balances spending and a top-up net out: a rise is a top-up of at least that much.
 *
 * @param amount utia; a text that is no amount changes nothing
 */
export function spentAfter(before: Spending | null, amount: string, at: Millis): Spending | null {
  const now = readInteger(amount);
  if (now === null || now < 0n || now > LARGEST_MONEY) return before;
  if (before === null) return { amount: String(now), at, firstAt: at, hours: [] };
  const fall = BigInt(before.amount) - now;
  const since = { ...before, amount: String(now), at: Math.max(at, before.at) };
  if (fall <= 0n) return since;
  const hour = Math.floor(since.at / HOUR_MS);
  const last = before.hours.at(-1);
  const isSame = last?.hour === hour;
  const added: SpentHour = {
    hour,
    spent: String(fall + BigInt(isSame ? last.spent : 0)),
    falls: 1 + (isSame ? last.falls : 0),
    largest: isSame && BigInt(last.largest) > fall ? last.largest : String(fall),
  };
  const earlier = isSame ? before.hours.slice(0, -1) : before.hours;
  return { ...since, hours: [...earlier, added].filter((each) => each.hour > hour - KEPT_HOURS) };
}

/** Spending within a window that ends with the last balance. */
export interface WindowSpending {
  /** utia. */
  readonly spent: bigint;
  readonly falls: number;
  /** The largest fall, utia. */
  readonly largest: bigint;
  /** The time that the sum covers: a window begins with a whole hour, and not before the first balance. */
  readonly coveredMs: Millis;
}

export function spentWithin({ at, firstAt, hours }: Spending, windowMs: Millis): WindowSpending {
  const firstHour = Math.floor((at - windowMs) / HOUR_MS);
  const within = hours.filter(({ hour }) => hour >= firstHour);
  return {
    spent: within.reduce((sum, { spent }) => sum + BigInt(spent), 0n),
    falls: within.reduce((sum, { falls }) => sum + falls, 0),
    largest: within.reduce((most, { largest }) => (BigInt(largest) > most ? BigInt(largest) : most), 0n),
    coveredMs: at - Math.max(firstAt, firstHour * HOUR_MS),
  };
}

/**
 * The time that a balance lasts from when it was read, at least and at most: by the rates of the last hour, day and week.
 * The largest fall of each is left out, because a transfer is no fee.
 */
export interface Runway {
  readonly fromMs: Millis;
  readonly toMs: Millis;
}

/** Null while too little spending was seen to know a rate. */
export function runwayOf(spending: Spending): Runway | null {
  // Nothing is left for a fee.
  if (spending.amount === '0') return { fromMs: 0, toMs: 0 };
  const lasts = Object.values(SPENDING_WINDOWS).flatMap((windowMs) => {
    const { spent, falls, largest, coveredMs } = spentWithin(spending, windowMs);
    if (falls < FALLS_FOR_RATE || coveredMs < LEAST_COVERED_MS) return [];
    return [(Number(spending.amount) / Number(spent - largest)) * coveredMs];
  });
  return lasts.length === 0 ? null : { fromMs: Math.min(...lasts), toMs: Math.max(...lasts) };
}
