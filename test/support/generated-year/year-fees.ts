import type { NewEvent } from '../../../src/domain/events.js';
import type { YearBatch, YearChain } from './year-chain.js';
import type { YearEvent } from '../demo-year/year-event.js';
import { YEAR_START } from './year-plan.js';

/** A fee that was read from the DA layer. */
export interface YearFee {
  readonly chain: string;
  readonly daHeight: bigint;
  /** Null: the file named no namespace. */
  readonly namespace: string | null;
  readonly utia: bigint;
}

const IMPORTS = [Date.UTC(2026, 2, 2, 8), Date.UTC(2026, 8, 28, 8)];
const SHARE = 0.05;
/** DA height of a fee without a batch. */
const NOWHERE = 7n;

/** True fees of some batches, each at a DA height where the chain has nothing else. */
export function planFees({ plan, batches, rows }: YearChain, random: () => number): YearFee[] {
  if (plan.id === '' || plan.id === 'kite-7') return [];
  const claims = new Map<bigint, number>();
  const claim = (daHeight: bigint): void => void claims.set(daHeight, (claims.get(daHeight) ?? 0) + 1);
  for (const { daHeight } of batches) claim(daHeight);
  for (const row of [...rows.values()].flat()) {
    // Rows without a time cannot be distinguished from their twins on other nodes.
    const isTold = row.batch !== null && !row.text.includes('0001-01-01');
    if (!isTold) claim(row.batch?.daHeight ?? daHeightOf(row.text));
  }
  const alone = batches.filter(({ daHeight }) => claims.get(daHeight) === 1 && random() < SHARE);
  const fees = alone.map(({ daHeight, kind }: YearBatch): YearFee => {
    const namespace = random() < 0.2 ? null : kind === 'HEADER' ? plan.header : plan.data;
    return { chain: plan.id, daHeight, namespace, utia: BigInt(200 + Math.floor(random() * 4_000)) };
  });
  return [...fees, { chain: plan.id, daHeight: NOWHERE, namespace: null, utia: 1_000_000n }];
}

/** The fees that had been imported before a time. */
export function feesImportedBefore(at: number, fees: readonly YearFee[]): YearFee[] {
  const last = IMPORTS.findLast((each) => each < at) ?? 0;
  return fees.filter((fee) => isOlder(fee, last));
}

function isOlder({ daHeight }: YearFee, at: number): boolean {
  return Number(daHeight) * 6_000 + YEAR_START < at;
}

/** Two imports per chain; the second file also contains the fees of the first. */
export function importFees(chain: string, fees: readonly YearFee[]): YearEvent[] {
  return IMPORTS.flatMap((at) => {
    const known = fees.filter((fee) => isOlder(fee, at));
    if (known.length === 0) return [];
    const rows = known.map(({ daHeight, namespace, utia }) => ({
      daHeight: String(daHeight),
      namespace,
      tx: null,
      fee: String(utia),
    }));
    const body = { source: `fees-of-${chain}.csv`, fees: rows };
    const event: NewEvent = { type: 'FeesImported', observedAt: at, body };
    return [{ stream: `${chain}/operator`, event }];
  });
}

function daHeightOf(text: string): bigint {
  return BigInt(/"height":(\d+)/.exec(text)?.[1] ?? 0);
}
