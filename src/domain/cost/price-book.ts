import { countWhile } from '../collections.js';
import type { PriceSubject, RecordedPrice } from '../events.js';
import { type Micros, nanosToMicros, parseTime } from '../time.js';
import { Decimal } from './decimal.js';
import { CELESTIA_GAS, type GasSchedule } from './pay-for-blobs.js';
import type { PriceEntry } from './price-entry.js';
import { isLater, isPriceUnit, orderFaults, pastFaults } from './price-faults.js';
import type { RecordedSchedule } from './settings-prices.js';

/** A fiat rate: amount of the unit for one TIA, which is a million utia. */
interface FiatRate {
  readonly unit: string;
  readonly perTia: Decimal;
}

export interface Prices {
  /** utia per gas; null: unknown. */
  readonly gasPrice: Decimal | null;
  /** Celestia's own if none was set. */
  readonly schedule: GasSchedule;
  readonly fiat: FiatRate | null;
}

const NO_PRICES: Prices = { gasPrice: null, schedule: CELESTIA_GAS, fiat: null };

interface PriceStep {
  readonly fromUs: Micros;
  readonly prices: Prices;
}

/** The prices of a chain over time. If entries share subject and moment, the last one given applies. */
export class PriceBook {
  private readonly first: Prices;
  private readonly later: readonly PriceStep[];
  /** Result of the last lookup: rows mostly come in the order of time. */
  private latest = 0;

  constructor(entries: readonly PriceEntry[]) {
    let prices = entries.filter(({ effectiveFrom }) => effectiveFrom === null).reduce(changed, NO_PRICES);
    this.first = prices;
    const later: PriceStep[] = [];
    for (const entry of sortedByTime(entries)) {
      prices = changed(prices, entry);
      if (later.at(-1)?.fromUs === entry.effectiveFrom) later.pop();
      later.push({ fromUs: entry.effectiveFrom, prices });
    }
    this.later = later;
  }

  at(us: Micros): Prices {
    if (!this.holds(this.latest, us)) this.latest = countWhile(this.later, ({ fromUs }) => fromUs <= us);
    return this.later[this.latest - 1]?.prices ?? this.first;
  }

  /** The moments after `fromUs` and before `toUs` at which an entry begins, ascending. */
  steps(fromUs: Micros, toUs: Micros): Micros[] {
    return this.later.map((step) => step.fromUs).filter((us) => us > fromUs && us < toUs);
  }

  /** The gas price that applies throughout a time; null if there is none, or more than one. */
  gasPriceThroughout(fromUs: Micros, toUs: Micros): Decimal | null {
    const { gasPrice } = this.at(fromUs);
    const others = this.steps(fromUs, toUs).map((us) => this.at(us).gasPrice);
    return gasPrice !== null && others.every((other) => other?.compare(gasPrice) === 0) ? gasPrice : null;
  }

  /** A book in which the prices of this moment apply for all time. */
  flatAt(us: Micros): PriceBook {
    const { gasPrice, schedule, fiat } = this.at(us);
    const entries: PriceEntry[] = [{ effectiveFrom: null, subject: 'GAS_SCHEDULE', schedule }];
    if (gasPrice !== null) entries.push({ effectiveFrom: null, subject: 'GAS_PRICE', utia: gasPrice });
    if (fiat !== null) entries.push({ effectiveFrom: null, subject: 'FIAT_RATE', ...fiat });
    return new PriceBook(entries);
  }

  /** Whether exactly this many steps have begun at a moment. */
  private holds(steps: number, us: Micros): boolean {
    const [begun, next] = [this.later[steps - 1], this.later[steps]];
    return (begun === undefined || begun.fromUs <= us) && (next === undefined || next.fromUs > us);
  }
}

function changed(prices: Prices, entry: PriceEntry): Prices {
  switch (entry.subject) {
    case 'GAS_PRICE':
      return { ...prices, gasPrice: entry.utia };
    case 'GAS_SCHEDULE':
      return { ...prices, schedule: entry.schedule };
    case 'FIAT_RATE':
      return { ...prices, fiat: { unit: entry.unit, perTia: entry.perTia } };
    default:
      return entry satisfies never;
  }
}

/** Entries with a moment, ascending; those of one moment keep their order. */
function sortedByTime(entries: readonly PriceEntry[]): (PriceEntry & { readonly effectiveFrom: Micros })[] {
  return entries.filter(hasMoment).sort((a, b) => Number(a.effectiveFrom - b.effectiveFrom));
}

function hasMoment(entry: PriceEntry): entry is PriceEntry & { readonly effectiveFrom: Micros } {
  return entry.effectiveFrom !== null;
}

/** The form of times in recorded prices. */
const RECORDED_TIME = /^[^T]+T(?!24)\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/;
/** Far above every real price, and short enough to keep sums of fees bounded. */
const PRICE = /^\d{1,20}(?:\.\d{1,18})?$/;
const GAS = /^\d{1,15}$/;

/** Reads a recorded entry. Returns a sentence that says what is wrong with it if it cannot be read. */
export function readPrice(recorded: RecordedPrice): PriceEntry | string {
  const effectiveFrom = recorded.effectiveFrom === null ? null : readMoment(recorded.effectiveFrom);
  if (effectiveFrom === undefined) {
    return `${quote(recorded.effectiveFrom)} is not a time in UTC, such as 2026-01-01T00:00:00Z.`;
  }
  switch (recorded.subject) {
    case 'GAS_PRICE': {
      const utia = readAmount(recorded.value.utia);
      return utia ? { effectiveFrom, subject: 'GAS_PRICE', utia } : noAmount(recorded.value.utia);
    }
    case 'GAS_SCHEDULE': {
      const schedule = readSchedule(recorded.value);
      return typeof schedule === 'string' ? schedule : { effectiveFrom, subject: 'GAS_SCHEDULE', schedule };
    }
    case 'FIAT_RATE': {
      const { unit, perTia: text } = recorded.value;
      if (!isPriceUnit(unit)) return `${quote(unit)} is not a currency, such as EUR.`;
      const perTia = readAmount(text);
      return perTia ? { effectiveFrom, subject: 'FIAT_RATE', unit, perTia } : noAmount(text);
    }
    default:
      return recorded satisfies never;
  }
}

function readSchedule({ signer, ...gas }: RecordedSchedule): GasSchedule | string {
  const fault = Object.entries(gas).find(([, text]) => !GAS.test(text));
  if (fault)
    return `${fault[0]} must be a whole number of at most 15 digits that is not negative, not ${quote(fault[1])}.`;
  return {
    gasPerShareByte: BigInt(gas.gasPerShareByte),
    gasPerBlob: BigInt(gas.gasPerBlob),
    fixedGas: BigInt(gas.fixedGas),
    signer,
  };
}

/** Whether a text has the form and the length of a price or a rate; 0 has them, too. */
export function isPriceText(text: string): boolean {
  return PRICE.test(text);
}

/** Whether a text has the form and the length of an amount of gas. */
export function isGasText(text: string): boolean {
  return GAS.test(text);
}

function readAmount(text: string): Decimal | undefined {
  const amount = PRICE.test(text) ? Decimal.parse(text) : undefined;
  // Nothing is free: a price of 0 means that the price is unknown.
  return amount?.isZero() ? undefined : amount;
}

function noAmount(text: string): string {
  return `A price must be a decimal number above 0, such as 0.004, not ${quote(text)}. It can have at most 20 digits before the point and 18 after it.`;
}

function readMoment(text: string): Micros | undefined {
  const ns = RECORDED_TIME.test(text) ? parseTime(text) : undefined;
  return ns === undefined ? undefined : nanosToMicros(ns);
}

function quote(text: string | null): string {
  return JSON.stringify(text);
}

/**
 * Objections to adding entries to a book, a sentence each; empty if there are none.
 *
 * Added entries of one subject must be in the order of their moments, and no moment twice. Without `replace` they must also
 * begin after all entries of their subject in the book: an earlier entry changes what was charged, which must be requested
 * explicitly.
 */
export function checkEntries(
  existing: readonly PriceEntry[],
  added: readonly PriceEntry[],
  { replace }: { readonly replace: boolean },
): string[] {
  const known = new Map<PriceSubject, PriceEntry>();
  for (const entry of existing) {
    const other = known.get(entry.subject);
    if (!other || isLater(entry, other)) known.set(entry.subject, entry);
  }
  const before = new Map<PriceSubject, PriceEntry>();
  return added.flatMap((entry) => {
    const last = before.get(entry.subject);
    before.set(entry.subject, entry);
    return [...orderFaults(entry, last), ...(replace ? [] : pastFaults(entry, known.get(entry.subject)))];
  });
}
