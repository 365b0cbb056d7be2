import type { Micros } from '../../domain/time.js';
import { LARGEST_MONEY, readHeight, readInteger } from '../../domain/bounds.js';
import { readPrice, PriceBook } from '../../domain/cost/price-book.js';
import { ownerOf, type ImportedFee, type RecordedPrice } from '../../domain/events.js';
import { LockTaken, takeLock } from '../../platform/locks.js';
import { ProjectionBusy, type HandledEvent, type Projection, type Query } from '../projection.js';
import { ChainSettingRows } from './chain-setting-rows.js';
import { FeeLedger } from './fee-ledger.js';
import { loadKnownFees, writeFees, type ChainFee } from './fee-rows.js';
import { PriceLedger, type PriceVersion } from './price-ledger.js';
import { PRICE_LOCK } from './price-lock.js';
import { markChains, markDaHeights, markPriceChanges } from './price-marks.js';
import { putSettings } from './settings-in-ledger.js';
import type { PriceEntry } from '../../domain/cost/price-entry.js';
import { selectList } from '../../platform/rows/row-columns.js';
import { PriceEntity } from '../../tables/prices.entities.js';

const HANDLES = ['ChainSettingsChanged', 'PriceSet', 'FeesImported'] as const;
type PricesEvent = HandledEvent<typeof HANDLES>;

/** A price that holds from the beginning touches every submission. */
const STATEMENT_TIMEOUT = "SET LOCAL statement_timeout = '10min'";

/** Roll-ups keep the lock while they compute. Waiting longer would block other read models and other roll-ups. */
const WAIT_MS = 2_000;

interface Ledgers {
  readonly settings: ChainSettingRows;
  readonly prices: PriceLedger;
  readonly fees: FeeLedger;
}

/** The price book, the fees read from the DA layer, and the settings of each chain that concern them. */
export class PricesProjection implements Projection {
  readonly name = 'prices';
  readonly version = 1;
  readonly tables = ['chain_setting', 'price', 'imported_fee', 'imported_fee_past'];
  readonly handles = HANDLES;

  async apply(events: readonly PricesEvent[], query: Query): Promise<void> {
    await query(STATEMENT_TIMEOUT);
    await lockPrices(query);
    const chains = [...new Set(events.map(({ stream }) => ownerOf(stream)))];
    const ledgers: Ledgers = {
      settings: new ChainSettingRows(await ChainSettingRows.load(query, chains)),
      prices: new PriceLedger(await loadPriceVersions(query, chains)),
      fees: new FeeLedger(await loadKnownFees(query, events.flatMap(feesOf))),
    };
    for (const event of events) applyEvent(ledgers, event);
    await ledgers.settings.write(query);
    await ledgers.prices.write(query);
    await writeFees(query, ledgers.fees);
    await writeMarks(query, ledgers);
  }
}

/** @throws ProjectionBusy while statistics are computed from the prices as they are */
async function lockPrices(query: Query): Promise<void> {
  try {
    await takeLock(query, PRICE_LOCK, { of: 'the price book', waitMs: WAIT_MS });
  } catch (error) {
    throw error instanceof LockTaken ? new ProjectionBusy(error.message, { cause: error }) : error;
  }
}

function feesOf(event: PricesEvent): ChainFee[] {
  if (event.type !== 'FeesImported') return [];
  return event.body.fees.filter(canBe).map((fee) => ({ chain: ownerOf(event.stream), fee }));
}

/** Whether height and amount are within the possible range. Other fees remain in the log but do not count as fees. */
function canBe({ daHeight, fee }: ImportedFee): boolean {
  const utia = readInteger(fee);
  return readHeight(daHeight) !== null && utia !== null && utia >= 0n && utia <= LARGEST_MONEY;
}

function applyEvent({ settings, prices, fees }: Ledgers, event: PricesEvent): void {
  const { position, recordedAt, observedAt } = event;
  const chain = ownerOf(event.stream);
  switch (event.type) {
    case 'ChainSettingsChanged':
      settings.put(chain, event.body, position);
      putSettings(prices, { chain, position, observedAt, recordedAt }, event.body.da);
      break;
    case 'PriceSet':
      for (const price of event.body.entries) {
        const read = readPrice(price);
        if (typeof read === 'string') continue;
        const { subject, value } = price;
        const known = { source: event.body.source, recordedAt, fromPosition: position };
        prices.put({ chain, subject, value, effectiveFrom: read.effectiveFrom, ...known });
      }
      break;
    case 'FeesImported':
      fees.apply({ chain, source: event.body.source, position }, event.body.fees.filter(canBe));
      break;
    default:
      event satisfies never;
  }
}

async function writeMarks(query: Query, { settings, prices, fees }: Ledgers): Promise<void> {
  const anew = settings.movedChains;
  await markChains(query, anew);
  await markPriceChanges(
    query,
    prices.changes.filter(({ chain }) => !anew.includes(chain)),
  );
  await markDaHeights(
    query,
    [...fees.added, ...fees.changed].filter(({ chain }) => !anew.includes(chain)),
  );
}

/**
 * The price books by chain; chains without prices are absent.
 * @param which `knownAt`, a position of the log: the books as known at that position; `chain`: only the book of this chain;
 * `asOfUs`: the prices of this moment for all time
 */
export async function loadPriceBooks(
  query: Query,
  { asOfUs, ...which }: Parameters<typeof loadValidPrices>[1] & { readonly asOfUs?: Micros | undefined } = {},
): Promise<ReadonlyMap<string, PriceBook>> {
  const versions = await loadValidPrices(query, which);
  const entries = new Map<string, PriceEntry[]>();
  for (const version of versions) {
    const entry = toPriceEntry(version);
    if (entry) entries.set(version.chain, [...(entries.get(version.chain) ?? []), entry]);
  }
  const toBook = (list: readonly PriceEntry[]): PriceBook => {
    const book = new PriceBook(list);
    return asOfUs === undefined ? book : book.flatAt(asOfUs);
  };
  return new Map([...entries].map(([chain, list]) => [chain, toBook(list)]));
}

/** A price of the read model as an entry of the book; undefined where the book refuses its value. */
export function toPriceEntry({ subject, value, effectiveFrom }: PriceVersion): PriceEntry | undefined {
  const entry = readPrice({ effectiveFrom: null, subject, value } as RecordedPrice);
  return typeof entry === 'string' ? undefined : { ...entry, effectiveFrom };
}

const SAID = selectList(PriceEntity, 'p', [
  'chain',
  'subject',
  'value',
  'source',
  'recordedAt',
  'fromPosition',
  'toPosition',
]);
const SELECT_PRICE = `SELECT ${SAID}, nullif(p.effective_from, '-infinity') AS "effectiveFrom" FROM price p`;

/** Every version of the chains' prices, in the order in which they became known. */
async function loadPriceVersions(query: Query, chains: readonly string[]): Promise<PriceVersion[]> {
  if (chains.length === 0) return [];
  return query<PriceVersion>(
    `${SELECT_PRICE} WHERE p.chain = ANY ($1) ORDER BY p.from_position, p.effective_from, p.subject`,
    [chains],
  );
}

/** The versions that are current, or were at a position of the log, ordered by chain, subject and moment. */
export function loadValidPrices(
  query: Query,
  { knownAt, chain }: { readonly knownAt?: bigint | undefined; readonly chain?: string | undefined } = {},
): Promise<PriceVersion[]> {
  return query<PriceVersion>(
    `${SELECT_PRICE}
      WHERE CASE WHEN $1::bigint IS NULL THEN p.to_position IS NULL
                 ELSE p.from_position <= $1 AND (p.to_position IS NULL OR p.to_position > $1) END
        AND ($2::text IS NULL OR p.chain = $2)
      ORDER BY p.chain, p.subject, p.effective_from`,
    [knownAt ?? null, chain ?? null],
  );
}
