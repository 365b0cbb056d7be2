import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RecordedPrice } from '../../domain/events.js';
import { EventStore } from '../../event-log/event-store.js';
import { UserError } from '../../platform/errors.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { StatementSource } from '../../platform/sql.js';
import { FeeImporter } from '../../statistics/prices/fee-importer.js';
import type { BookEntry } from '../../statistics/prices/price-book.reader.js';
import { readPriceBooks } from '../../statistics/prices/price-book.reader.js';
import { PriceRecorder } from '../../statistics/prices/price-recorder.js';
import type { PriceWish } from '../../statistics/prices/price-wish.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { badUserInput } from '../errors.js';
import type { FeeImport, Price, PriceInput, PriceSubject } from './price.type.js';

/** What `setPrices` is asked for. */
export interface SetPrices {
  readonly chain: string;
  readonly entries: readonly PriceInput[];
  readonly replace: boolean;
  readonly source: string;
  readonly by: string;
}

/** What `importFees` is asked for. */
export interface ImportFees {
  readonly chain: string;
  readonly csv: string;
  readonly source: string;
  readonly by: string;
  readonly skipBad: boolean;
}

const LARGEST_CSV_BYTES = 90_000;
/** Rows of a list in an answer. */
const SHOWN = 100;

/** Reads and changes prices and fees. Every method throws ApiError BAD_USER_INPUT for what cannot be recorded. */
@Injectable()
export class PricesService {
  private readonly recorder: PriceRecorder;
  private readonly importer: FeeImporter;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(ReadDatabase) private readonly reads: StatementSource,
    store: EventStore,
    @Inject(API_OPTIONS) { clock }: ApiOptions,
  ) {
    this.recorder = new PriceRecorder(dataSource, store, clock);
    this.importer = new FeeImporter(dataSource, store, clock);
  }

  /** @param knownAt Unix nanoseconds; null: now */
  async getPriceBook(chain: string, knownAt: bigint | null): Promise<Price[]> {
    const at = knownAt === null ? {} : { knownAt: knownAt / 1_000n };
    return (await refusing(() => readPriceBooks(this.reads, { chain, ...at }))).map(toPrice);
  }

  /** @returns the book as it stands then */
  async setPrices({ entries, ...request }: SetPrices): Promise<Price[]> {
    const wishes = entries.map(toWish);
    await refusing(() => this.recorder.set({ ...request, wishes }));
    // From where it was written: a replica may not have it yet.
    return (await readPriceBooks(this.dataSource, { chain: request.chain })).map(toPrice);
  }

  async importFees({ csv, ...request }: ImportFees): Promise<FeeImport> {
    const bytes = Buffer.byteLength(csv);
    if (bytes > LARGEST_CSV_BYTES) {
      throw badUserInput(
        `\`csv\` has ${bytes} bytes, and ${LARGEST_CSV_BYTES} is the limit. Send it in parts, each with the header, or use \`hindsight import fees\`.`,
      );
    }
    const result = await refusing(() => this.importer.import({ ...request, file: csv }));
    const { isImported, unmatched, ambiguous, ...counts } = result;
    return {
      ...counts,
      imported: isImported,
      unmatchedCount: unmatched.length,
      unmatched: unmatched.slice(0, SHOWN).map(({ line, fee, reason }) => ({ line, ...fee, reason })),
      ambiguousCount: ambiguous.length,
      ambiguous: ambiguous.slice(0, SHOWN),
    };
  }
}

/** What people can do something about is told them as it stands. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UserError ? badUserInput(`${error.message} ${error.remedy}`) : error;
  }
}

function toWish(input: PriceInput): PriceWish {
  const { from, gasPrice, fiat, gasPerShareByte, gasPerBlob, fixedGas, signer } = input;
  return {
    effectiveFrom: typeof from === 'bigint' ? from / 1_000n : null,
    ...(typeof gasPrice === 'string' && { gasPrice }),
    ...(fiat && { fiat: { unit: fiat.unit, perTia: fiat.perTia } }),
    ...(typeof gasPerShareByte === 'bigint' && { gasPerShareByte: String(gasPerShareByte) }),
    ...(typeof gasPerBlob === 'bigint' && { gasPerBlob: String(gasPerBlob) }),
    ...(typeof fixedGas === 'bigint' && { fixedGas: String(fixedGas) }),
    ...(typeof signer === 'boolean' && { signer }),
  };
}

function toPrice(entry: BookEntry): Price {
  return {
    ...EMPTY,
    ...valuesOf({ subject: entry.subject, value: entry.value } as RecordedPrice),
    chain: entry.chain,
    subject: entry.subject as PriceSubject,
    effectiveFrom: toNanos(entry.effectiveFrom),
    source: entry.source,
    by: entry.by,
    recordedAt: entry.recordedAt * 1_000n,
    replacedAt: toNanos(entry.replacedAt),
  };
}

const EMPTY = {
  gasPrice: null,
  fiatUnit: null,
  fiatPerTia: null,
  gasPerShareByte: null,
  gasPerBlob: null,
  fixedGas: null,
  signer: null,
} as const;

function valuesOf(price: RecordedPrice): Partial<Price> {
  switch (price.subject) {
    case 'GAS_PRICE':
      return { gasPrice: price.value.utia };
    case 'FIAT_RATE':
      return { fiatUnit: price.value.unit, fiatPerTia: price.value.perTia };
    case 'GAS_SCHEDULE':
      return { ...price.value };
  }
}

function toNanos(us: bigint | null): bigint | null {
  return us === null ? null : us * 1_000n;
}
