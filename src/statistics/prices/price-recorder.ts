import { Decimal } from '../../domain/cost/decimal.js';
import { checkEntries, PriceBook, readPrice } from '../../domain/cost/price-book.js';
import type { PriceEntry } from '../../domain/cost/price-entry.js';
import type { EventBodies, RecordedPrice } from '../../domain/events.js';
import { millisToMicros } from '../../domain/time.js';
import type { EventStore } from '../../event-log/event-store.js';
import type { Clock } from '../../platform/clock.js';
import { UserError } from '../../platform/errors.js';
import { type Database, onConnection, toSource } from '../../platform/sql.js';
import type { PriceVersion } from '../../projections/prices/price-ledger.js';
import { loadValidPrices, toPriceEntry } from '../../projections/prices/prices.js';
import { requireKnownNames } from '../read/known-names.query.js';
import { type PriceEffect, readPriceEffect } from './price-effect.js';
import { MOST_PRICES, type RequestedPrice, toRecordedPrices } from './requested-price.js';
import { PricesCatchUp } from './prices-catch-up.js';
import { requireSource } from './source-text.js';

export interface PriceRequest {
  readonly chain: string;
  readonly prices: readonly RequestedPrice[];
  /** Whether the prices may change past costs: apply from before the newest entry, or replace an entry. */
  readonly replace: boolean;
  /** Where the prices come from, in the person's words. */
  readonly source: string;
  /** The person or key that sets the prices; see {@link EventBodies}. */
  readonly by: string;
}

/** Records prices that people set. It needs only the database, so it works with and without a running service. */
export class PriceRecorder {
  private readonly catchUp: PricesCatchUp;

  constructor(
    private readonly dataSource: Database,
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {
    this.catchUp = new PricesCatchUp(dataSource, store);
  }

  /**
   * Records prices, except those that the book already has.
   * @returns the number of recorded prices, and the chain's book afterwards
   * @throws UserError with everything that is wrong with the prices; in that case nothing was recorded
   */
  async set(request: PriceRequest): Promise<{ recorded: number; book: PriceVersion[] }> {
    const stream = `${request.chain}/operator`;
    const source = requireSource(request.source);
    for (;;) {
      const { version } = await this.store.loadStream(stream);
      await this.catchUp.run();
      const standing = await this.loadBook(request.chain);
      const entries = findNewEntries(request, standing);
      if (entries.length === 0) return { recorded: 0, book: standing };
      const body: EventBodies['PriceSet'] = { entries, source, by: request.by };
      const event = { type: 'PriceSet', observedAt: this.clock.now(), body } as const;
      // Lost the race: someone else has set prices, and these must be checked against them.
      const result = await this.store.append({ stream, expectedVersion: version, events: [event] });
      if (!result.won) continue;
      await this.catchUp.run();
      return { recorded: entries.length, book: await this.loadBook(request.chain) };
    }
  }

  /**
   * The change of reported figures that {@link set} would make; undefined if it would change nothing.
   * @throws UserError as {@link set}
   */
  async preview(request: PriceRequest): Promise<PriceEffect | undefined> {
    await this.catchUp.run();
    const standing = await this.loadBook(request.chain);
    const added = findNewEntries(request, standing).map(readPrice);
    return readPriceEffect(this.dataSource, {
      chain: request.chain,
      book: standing.flatMap((version) => toPriceEntry(version) ?? []),
      added: added.filter((entry) => typeof entry !== 'string'),
      nowUs: millisToMicros(this.clock.now()),
    });
  }

  private loadBook(chain: string): Promise<PriceVersion[]> {
    return onConnection(this.dataSource, async (query) => {
      await requireKnownNames(toSource(query), { chains: [chain] });
      return loadValidPrices(query, { chain });
    });
  }
}

/** @throws UserError if the entries cannot be accepted */
function findNewEntries(
  { prices, replace }: PriceRequest,
  standing: readonly PriceVersion[],
): RecordedPrice[] {
  if (prices.length === 0 || prices.length > MOST_PRICES) {
    throw refusal([`From 1 to ${MOST_PRICES} entries can be set at once, not ${prices.length}.`]);
  }
  const existing = standing.flatMap((version) => toPriceEntry(version) ?? []);
  const wanted = toRecordedPrices(prices, new PriceBook(existing));
  requireContents(prices);
  const read = wanted.map((price) => ({ price, entry: readPrice(price) }));
  const unreadable = read.flatMap(({ entry }) => (typeof entry === 'string' ? [entry] : []));
  if (unreadable.length > 0) throw refusal(unreadable);
  const known = new Set(existing.map(textOf));
  const added = read.filter(({ entry }) => typeof entry !== 'string' && !known.has(textOf(entry)));
  const entries = added.map(({ entry }) => entry).filter((entry) => typeof entry !== 'string');
  const faults = checkEntries(existing, entries, { replace });
  if (faults.length > 0) {
    // A fault that `replace` does not resolve gets no hint to use it.
    throw refusal(faults, replace || checkEntries(existing, entries, { replace: true }).length > 0);
  }
  return added.map(({ price }) => price);
}

/** @throws UserError for an entry that sets nothing */
function requireContents(prices: readonly RequestedPrice[]): void {
  const isEmpty = (price: RequestedPrice): boolean =>
    Object.entries(price).every(([name, value]) => name === 'effectiveFrom' || value === undefined);
  if (prices.some(isEmpty)) {
    throw refusal(['An entry sets nothing: give a gas price, a fiat rate or a part of the gas schedule.']);
  }
}

function refusal(faults: readonly string[], replace = true): UserError {
  const remedy = replace
    ? 'Nothing was recorded. Correct the entries and set them again.'
    : 'Nothing was recorded. To correct the book itself, use --replace, or replace: true.';
  return new UserError(faults.join(' '), remedy, 2);
}

/** Equal texts are equal entries: `readPrice` makes both. */
function textOf(entry: PriceEntry): string {
  return JSON.stringify(entry, (_, value: unknown) =>
    typeof value === 'bigint' || value instanceof Decimal ? value.toString() : value,
  );
}
