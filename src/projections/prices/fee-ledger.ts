import { entryOf } from '../../domain/collections.js';
import type { ImportedFee } from '../../domain/events.js';
import type { ImportedFeePastEntity, ImportedFeeEntity } from '../../tables/prices.entities.js';

/** The effect of an imported fee on the known fees. */
export type FeeVerdict = 'ADDED' | 'KNOWN' | 'REPEATED' | 'CORRECTED' | 'IDENTIFIED';

interface FeeRecord {
  readonly chain: string;
  readonly source: string;
  readonly position: bigint;
}

/**
 * The known fees of some DA heights and transactions, to which events add new ones.
 *
 * A transaction pays one fee, so its hash identifies the fee; another amount for it is a correction. Fees without a hash
 * are grouped by DA height, namespace and amount only. Of equal ones there are as many as the most that a single event
 * contains. So a file that is imported again, or overlaps another, adds nothing twice.
 */
export class FeeLedger {
  private readonly byTx = new Map<string, ImportedFeeEntity>();
  private readonly byFact = new Map<string, ImportedFeeEntity[]>();
  private readonly ordinals = new Map<string, number>();
  private readonly made = new Set<ImportedFeeEntity>();
  private readonly altered = new Set<ImportedFeeEntity>();
  private readonly former: ImportedFeePastEntity[] = [];
  /** Position of the last event that corrected each fee. */
  private readonly correctedAt = new Map<ImportedFeeEntity, bigint>();

  /** @param known in the order of their ordinals; events change these rows in place */
  constructor(known: readonly ImportedFeeEntity[]) {
    for (const row of known) this.keep(row);
  }

  /** Takes over the fees of one event. @returns the verdict on each fee, in the same order */
  apply(record: FeeRecord, fees: readonly ImportedFee[]): FeeVerdict[] {
    const present = new Map<string, ImportedFeeEntity[]>();
    const takeOne = (
      fee: ImportedFee,
      isWanted: (row: ImportedFeeEntity) => boolean,
    ): ImportedFeeEntity | undefined => {
      const fact = factOf(record.chain, fee);
      const rows = entryOf(present, fact, () => [...(this.byFact.get(fact) ?? [])]);
      const index = rows.findIndex(isWanted);
      return index < 0 ? undefined : rows.splice(index, 1)[0];
    };
    const verdicts: (FeeVerdict | undefined)[] = this.recogniseTransactions(record, fees, takeOne);
    for (const [index, fee] of fees.entries()) {
      if (fee.tx !== null) continue;
      // Prefer fees without a hash: a fee with a hash may yet turn out to be a different payment.
      const same = takeOne(fee, ({ txHash }) => txHash === null) ?? takeOne(fee, () => true);
      if (same) verdicts[index] = 'KNOWN';
    }
    return fees.map((fee, index) => verdicts[index] ?? this.add(record, fee));
  }

  get added(): readonly ImportedFeeEntity[] {
    return [...this.made];
  }

  get changed(): readonly ImportedFeeEntity[] {
    return [...this.altered];
  }

  get replaced(): readonly ImportedFeePastEntity[] {
    return this.former;
  }

  private recogniseTransactions(
    { chain, position }: FeeRecord,
    fees: readonly ImportedFee[],
    takeOne: (
      fee: ImportedFee,
      isWanted: (row: ImportedFeeEntity) => boolean,
    ) => ImportedFeeEntity | undefined,
  ): (FeeVerdict | undefined)[] {
    const seen = new Set<string>();
    return fees.map((fee) => {
      const { tx } = fee;
      if (tx === null) return undefined;
      const row = this.byTx.get(keyOfTx(chain, tx));
      const isRepeated = seen.has(tx);
      seen.add(tx);
      if (row === undefined) {
        if (isRepeated) return undefined;
        const nameless = takeOne(fee, (other) => other.txHash === null);
        if (nameless) this.identify(nameless, tx);
        return nameless && 'IDENTIFIED';
      }
      takeOne(fee, (other) => other === row);
      if (row.feeUtia === amountOf(fee)) return isRepeated ? 'REPEATED' : 'KNOWN';
      this.correct(row, amountOf(fee), position);
      return 'CORRECTED';
    });
  }

  /** Adds a fee; a fee that only repeats another transaction of the same event does not count. */
  private add({ chain, source, position }: FeeRecord, fee: ImportedFee): FeeVerdict {
    const twin = fee.tx === null ? undefined : this.byTx.get(keyOfTx(chain, fee.tx));
    if (twin) {
      if (twin.feeUtia === amountOf(fee)) return 'REPEATED';
      this.correct(twin, amountOf(fee), position);
      return 'CORRECTED';
    }
    const daHeight = BigInt(fee.daHeight);
    const namespace = fee.namespace ?? '';
    const ordinal = (this.ordinals.get(placeOf({ chain, daHeight, namespace })) ?? 0) + 1;
    const facts = { feeUtia: amountOf(fee), txHash: fee.tx, source, fromPosition: position };
    const row = { chain, daHeight, namespace, ordinal, ...facts };
    this.keep(row);
    this.made.add(row);
    return 'ADDED';
  }

  private identify(row: ImportedFeeEntity, tx: string): void {
    row.txHash = tx;
    this.byTx.set(keyOfTx(row.chain, tx), row);
    if (!this.made.has(row)) this.altered.add(row);
  }

  private correct(row: ImportedFeeEntity, feeUtia: string, position: bigint): void {
    const isSameEvent = row.fromPosition === position || this.correctedAt.get(row) === position;
    const { chain, daHeight, namespace, ordinal, feeUtia: before } = row;
    const past = { chain, daHeight, namespace, ordinal, feeUtia: before, toPosition: position };
    if (!isSameEvent) this.former.push(past);
    this.correctedAt.set(row, position);
    const others = (this.byFact.get(factOfRow(row)) ?? []).filter((other) => other !== row);
    this.byFact.set(factOfRow(row), others);
    row.feeUtia = feeUtia;
    entryOf(this.byFact, factOfRow(row), () => []).push(row);
    // Keep the order in which the database would return them.
    this.byFact.get(factOfRow(row))?.sort((a, b) => a.ordinal - b.ordinal);
    if (!this.made.has(row)) this.altered.add(row);
  }

  private keep(row: ImportedFeeEntity): void {
    if (row.txHash !== null) this.byTx.set(keyOfTx(row.chain, row.txHash), row);
    entryOf(this.byFact, factOfRow(row), () => []).push(row);
    const place = placeOf(row);
    this.ordinals.set(place, Math.max(this.ordinals.get(place) ?? 0, row.ordinal));
  }
}

function keyOfTx(chain: string, tx: string): string {
  return `${tx} ${chain}`;
}

type FeeKey = Pick<ImportedFeeEntity, 'chain' | 'daHeight' | 'namespace'>;

function placeOf({ chain, daHeight, namespace }: FeeKey): string {
  return `${daHeight} ${namespace} ${chain}`;
}

function factOf(chain: string, { daHeight, namespace, fee }: ImportedFee): string {
  return `${BigInt(fee)} ${placeOf({ chain, daHeight: BigInt(daHeight), namespace: namespace ?? '' })}`;
}

/** The amount as the database formats it. */
function amountOf({ fee }: ImportedFee): string {
  return BigInt(fee).toString();
}

function factOfRow(row: ImportedFeeEntity): string {
  return `${row.feeUtia} ${placeOf(row)}`;
}
