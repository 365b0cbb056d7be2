import type { PriceSubject } from '../events.js';
import { formatTime, microsToNanos } from '../time.js';
import type { PriceEntry } from './price-entry.js';

/** Currency codes, including those of stable coins. */
const UNIT = /^[A-Z]{3,10}$/;

const SUBJECT_TEXT = {
  GAS_PRICE: 'Gas price',
  GAS_SCHEDULE: 'Gas schedule',
  FIAT_RATE: 'Fiat rate',
} as const satisfies Record<PriceSubject, string>;

/** Whether a text can name the unit of a fiat rate. */
export function isPriceUnit(text: string): boolean {
  return UNIT.test(text);
}

/** @param last the previous entry of its subject in the same list */
export function orderFaults(entry: PriceEntry, last: PriceEntry | undefined): string[] {
  if (!last || isLater(entry, last)) return [];
  if (entry.effectiveFrom === last.effectiveFrom) return [`${nameOf(entry)} is given twice.`];
  return [`${nameOf(entry)} must come before the entry that holds ${momentOf(last)}.`];
}

/** @param known the newest entry of its subject in the book */
export function pastFaults(entry: PriceEntry, known: PriceEntry | undefined): string[] {
  if (!known || isLater(entry, known)) return [];
  return [`${nameOf(entry)} would change past prices: the book has an entry that holds ${momentOf(known)}.`];
}

/** Whether the first begins after the second. */
export function isLater({ effectiveFrom: a }: PriceEntry, { effectiveFrom: b }: PriceEntry): boolean {
  return a !== null && (b === null || a > b);
}

function nameOf(entry: PriceEntry): string {
  return `${SUBJECT_TEXT[entry.subject]} ${momentOf(entry)}`;
}

function momentOf({ effectiveFrom }: PriceEntry): string {
  if (effectiveFrom === null) return 'from the beginning';
  return `from ${formatTime(microsToNanos(effectiveFrom), effectiveFrom % 1_000_000n === 0n ? 0 : 6)}`;
}
