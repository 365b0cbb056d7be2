import { Inject, Injectable } from '@nestjs/common';
import type { RecordedPrice } from '../../domain/events.js';
import { formatTime, microsToNanos, type Nanos, nanosToMicros } from '../../domain/time.js';
import { EventStore } from '../../event-log/event-store.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { withSlot } from '../../platform/reads/read-request.js';
import { WeightedSemaphore } from '../../platform/reads/weighted-semaphore.js';
import { Database } from '../../platform/sql.js';
import { FeeImporter, type FeeImportRequest } from '../../statistics/prices/fee-importer.js';
import { type BookEntry, readPriceBooks } from '../../statistics/prices/price-book.reader.js';
import type { PriceEffect } from '../../statistics/prices/price-effect.js';
import { PriceRecorder, type PriceRequest } from '../../statistics/prices/price-recorder.js';
import type { RequestedPrice } from '../../statistics/prices/requested-price.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { badUserInput, refusing, tooMany } from '../errors.js';
import { toNanos } from '../graphql/scalars.js';
import { CrowdedPlace, type FeeImport, Price, type PriceInput, UnmatchedFee } from './price.type.js';
import { rowId, versionOf } from '../objects/row-id.js';

type SetPrices = Omit<PriceRequest, 'prices'> & {
  readonly entries: readonly PriceInput[];
  /** Whether they may change figures that are already reported. */
  readonly confirm: boolean;
};

type ImportFees = Omit<FeeImportRequest, 'file'> & { readonly csv: string };

const LARGEST_CSV_BYTES = 90_000;
/** Rows of a list in an answer. */
const SHOWN = 100;

/** Prices and fees change one request at a time: all requests wait for the same rows, each with a connection that others need. */
const MOST_WAITING = 20;
const WAIT_MS = 5_000;
const RETRY_AFTER_S = 5;

/** Reads and changes prices and fees. Every method throws ApiError BAD_USER_INPUT for input that cannot be recorded. */
@Injectable()
export class PricesService {
  private readonly recorder: PriceRecorder;
  private readonly importer: FeeImporter;
  private readonly turns = new WeightedSemaphore(1, {
    mostWaiting: MOST_WAITING,
    waitMs: WAIT_MS,
    full: () =>
      tooMany(
        `Other prices or fees are being recorded; try again in ${RETRY_AFTER_S} seconds.`,
        RETRY_AFTER_S,
      ),
  });

  constructor(
    private readonly writes: Database,
    @Inject(ReadDatabase) private readonly reads: Database,
    store: EventStore,
    @Inject(API_OPTIONS) { clock }: ApiOptions,
  ) {
    this.recorder = new PriceRecorder(writes, store, clock);
    this.importer = new FeeImporter(writes, store, clock);
  }

  /** @param knownAt null: now */
  async getPriceBook(chain: string, knownAt: Nanos | null): Promise<Price[]> {
    const at = knownAt === null ? {} : { knownAt: nanosToMicros(knownAt) };
    return (await refusing(() => readPriceBooks(this.reads, { chain, ...at }))).map((entry) =>
      toPrice(entry, knownAt),
    );
  }

  /**
   * Records nothing if the prices would change reported figures and `confirm` is false.
   * @returns the book after the change
   * @throws ApiError BAD_USER_INPUT without a needed confirmation
   */
  async setPrices({ entries, confirm, ...request }: SetPrices): Promise<Price[]> {
    const prices = entries.map(toRequestedPrice);
    await this.inTurn(async () => {
      const effect = confirm ? undefined : await this.recorder.preview({ ...request, prices });
      if (effect !== undefined) throw badUserInput(tellEffect(effect));
      return this.recorder.set({ ...request, prices });
    });
    // Reads from the primary: a replica may not have the change yet.
    return (await readPriceBooks(this.writes, { chain: request.chain })).map((entry) => toPrice(entry));
  }

  async importFees({ csv, ...request }: ImportFees): Promise<FeeImport> {
    const bytes = Buffer.byteLength(csv);
    if (bytes > LARGEST_CSV_BYTES) {
      throw badUserInput(
        `\`csv\` has ${bytes} bytes; the limit is ${LARGEST_CSV_BYTES}. Send it in parts, each with the header, or use \`hindsight import fees\`.`,
      );
    }
    const result = await this.inTurn(() => this.importer.import({ ...request, file: csv }));
    const { isImported, unmatched, ambiguous, ...counts } = result;
    return {
      ...counts,
      imported: isImported,
      unmatchedCount: unmatched.length,
      unmatched: unmatched
        .slice(0, SHOWN)
        .map(({ line, fee, reason }) => Object.assign(new UnmatchedFee(), { line, ...fee, reason })),
      ambiguousCount: ambiguous.length,
      ambiguous: ambiguous.slice(0, SHOWN).map((place) => Object.assign(new CrowdedPlace(), place)),
    };
  }

  /** @throws ApiError RATE_LIMITED if too many requests wait, or wait too long */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    return withSlot(this.turns, () => refusing(work));
  }
}

/** Text about the reported figures that the prices would change, and how to confirm the change. */
function tellEffect({ bucket, changes, before, after }: PriceEffect): string {
  const first = changes?.[0]?.before.timeUs;
  const count =
    changes === undefined || first === undefined
      ? 'more than can be counted in time'
      : `${changes.length} ${bucket.toLowerCase()}${changes.length === 1 ? '' : 's'} from ${formatTime(microsToNanos(first), 0)} on`;
  const fee = ({ feeMin, feeMax }: PriceEffect['before']): string =>
    feeMin === null ? 'unknown' : `${feeMax === null ? 'at least ' : ''}${feeMin.toString()} utia`;
  const then = after === undefined ? '' : `, and would become ${fee(after)}`;
  return `This changes reported figures: ${count}. The fee of that time is ${fee(before)} so far${then}. Nothing was recorded. To confirm, give \`confirm: true\`.`;
}

function toRequestedPrice(input: PriceInput): RequestedPrice {
  const { from, gasPrice, fiat, gasPerShareByte, gasPerBlob, fixedGas, signer } = input;
  return {
    effectiveFrom: typeof from === 'bigint' ? nanosToMicros(from) : null,
    ...(typeof gasPrice === 'string' && { gasPrice }),
    ...(fiat && { fiat: { unit: fiat.unit, perTia: fiat.perTia } }),
    ...(typeof gasPerShareByte === 'bigint' && { gasPerShareByte: String(gasPerShareByte) }),
    ...(typeof gasPerBlob === 'bigint' && { gasPerBlob: String(gasPerBlob) }),
    ...(typeof fixedGas === 'bigint' && { fixedGas: String(fixedGas) }),
    ...(typeof signer === 'boolean' && { signer }),
  };
}

function toPrice(entry: BookEntry, knownAt: Nanos | null = null): Price {
  const { chain, subject, effectiveFrom, fromPosition } = entry;
  const id = rowId('Price', chain, subject, effectiveFrom, fromPosition);
  return Object.assign(new Price(), {
    ...entry,
    id,
    versionId: versionOf(id, { knownAt }),
    ...valuesOf({ subject: entry.subject, value: entry.value } as RecordedPrice),
    effectiveFrom: toNanos(entry.effectiveFrom),
    recordedAt: toNanos(entry.recordedAt),
    replacedAt: toNanos(entry.replacedAt),
  });
}

function valuesOf({ subject, value }: RecordedPrice): Partial<Price> {
  switch (subject) {
    case 'GAS_PRICE':
      return { gasPrice: value.utia };
    case 'FIAT_RATE':
      return { fiatUnit: value.unit, fiatPerTia: value.perTia };
    case 'GAS_SCHEDULE':
      return value;
    default:
      return subject satisfies never;
  }
}
