import {
  readSettingsPrices,
  RECORDED_CELESTIA_GAS,
  type RecordedSchedule,
} from '../../domain/cost/settings-prices.js';
import { readPrice } from '../../domain/cost/price-book.js';
import type { ChainEvents, RecordedPrice } from '../../domain/events.js';
import type { Micros } from '../../domain/time.js';
import type { PriceLedger, PriceVersion } from './price-ledger.js';

export const PLAIN_SOURCE = 'settings';
export const DATED_SOURCE = 'settings, dated';

interface SettingsRecord {
  readonly chain: string;
  readonly position: bigint;
  readonly observedAt: Micros;
  readonly recordedAt: Micros;
}

/**
 * Takes over the prices of a chain's settings. Only differences from the previous settings count. So a person's correction
 * outlives settings that repeat their old value, and a price that the settings no longer contain stays in force.
 */
export function putSettings(
  ledger: PriceLedger,
  record: SettingsRecord,
  da: ChainEvents['ChainSettingsChanged']['da'],
): void {
  const { plain, signer, dated } = readSettingsPrices(da);
  for (const price of plain) putPlain(ledger, record, price);
  if (signer !== null) putSigner(ledger, record, signer);
  for (const price of dated) putDated(ledger, record, price);
}

/** A price without a date holds from the beginning if no price does yet, else from when it was observed. */
function putPlain(ledger: PriceLedger, record: SettingsRecord, price: RecordedPrice): void {
  const said = ledger.findLatest({ chain: record.chain, subject: price.subject }, PLAIN_SOURCE);
  if (said && isSameValue(said.value, price.value)) return;
  put(ledger, record, price, startOf(ledger, record, price.subject), PLAIN_SOURCE);
}

function putSigner(ledger: PriceLedger, record: SettingsRecord, signer: boolean): void {
  const subject = 'GAS_SCHEDULE';
  const said = ledger.findLatest({ chain: record.chain, subject }, PLAIN_SOURCE);
  if (said && scheduleOf(said).signer === signer) return;
  const effectiveFrom = startOf(ledger, record, subject);
  const present = ledger.findInForce(record.chain, subject, effectiveFrom);
  const value = { ...(present ? scheduleOf(present) : RECORDED_CELESTIA_GAS), signer };
  put(ledger, record, { effectiveFrom: null, subject, value }, effectiveFrom, PLAIN_SOURCE);
}

function startOf(
  ledger: PriceLedger,
  { chain, observedAt }: SettingsRecord,
  subject: PriceVersion['subject'],
): Micros | null {
  return ledger.findStanding({ chain, subject, effectiveFrom: null }) ? observedAt : null;
}

function putDated(ledger: PriceLedger, record: SettingsRecord, price: RecordedPrice): void {
  const read = readPrice(price);
  if (typeof read === 'string') return;
  const { effectiveFrom } = read;
  const { subject } = price;
  const said = ledger.findLatest({ chain: record.chain, subject, effectiveFrom }, DATED_SOURCE);
  if (said && isSameValue(said.value, price.value)) return;
  const isPast = effectiveFrom === null || effectiveFrom <= record.observedAt;
  if (said && isPast && differsOnlyInSigner(said, price)) return;
  put(ledger, record, price, effectiveFrom, DATED_SOURCE);
}

/** Whether only `signer` differs: a dated schedule inherits it from the undated settings, which apply from their change on. */
function differsOnlyInSigner(said: PriceVersion, price: RecordedPrice): boolean {
  if (price.subject !== 'GAS_SCHEDULE') return false;
  return isSameValue({ ...scheduleOf(said), signer: price.value.signer }, price.value);
}

function scheduleOf({ value }: PriceVersion): RecordedSchedule {
  return value as RecordedSchedule;
}

function put(
  ledger: PriceLedger,
  { chain, position, recordedAt }: SettingsRecord,
  price: RecordedPrice,
  effectiveFrom: Micros | null,
  source: string,
): void {
  // Older versions accepted settings that the price book refuses; they are in the log but are no price.
  if (typeof readPrice(price) === 'string') return;
  const { subject, value } = price;
  ledger.put({ chain, subject, effectiveFrom, value, source, recordedAt, fromPosition: position });
}

/** The database may return members in another order. */
function isSameValue(one: object, other: object): boolean {
  const members = new Map<string, unknown>(Object.entries(other));
  const entries: [string, unknown][] = Object.entries(one);
  return entries.length === members.size && entries.every(([name, value]) => members.get(name) === value);
}
