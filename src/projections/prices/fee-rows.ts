import type { ImportedFee } from '../../domain/events.js';
import { columnsOf, selectList } from '../../platform/rows/row-columns.js';
import { insertRows, updateRows } from '../../platform/rows/write-rows.js';
import { ImportedFeePastEntity, ImportedFeeEntity } from '../../tables/prices.entities.js';
import type { Query } from '../projection.js';
import type { FeeLedger } from './fee-ledger.js';

export interface ChainFee {
  readonly chain: string;
  readonly fee: Pick<ImportedFee, 'daHeight' | 'tx'>;
}

const WANTED = columnsOf(ImportedFeeEntity, 'chain', 'daHeight', 'txHash');
const FEE = selectList(ImportedFeeEntity, 'f');

/** The known fees at the DA heights and of the transactions of the given fees, in the order of their ordinals. */
export async function loadKnownFees(query: Query, fees: readonly ChainFee[]): Promise<ImportedFeeEntity[]> {
  if (fees.length === 0) return [];
  const rows = fees.map(({ chain, fee: { daHeight, tx } }) => ({
    chain,
    daHeight: BigInt(daHeight),
    txHash: tx,
  }));
  const wanted = WANTED.unnest(rows, 'w');
  return query<ImportedFeeEntity>(
    `WITH w AS MATERIALIZED (SELECT * FROM ${wanted.sql})
     SELECT ${FEE} FROM imported_fee f WHERE (chain, da_height) IN (SELECT chain, da_height FROM w)
     UNION
     SELECT ${FEE} FROM imported_fee f
      WHERE (chain, tx_hash) IN (SELECT chain, tx_hash FROM w WHERE tx_hash IS NOT NULL)
      ORDER BY chain, "daHeight", namespace, ordinal`,
    wanted.parameters,
  );
}

/** Writes the changes. A correction keeps the fee's key, including its ordinal. */
export async function writeFees(
  query: Query,
  { added, changed, replaced }: Pick<FeeLedger, 'added' | 'changed' | 'replaced'>,
): Promise<void> {
  const key = ['chain', 'daHeight', 'namespace', 'ordinal'] as const;
  await updateRows(query, ImportedFeeEntity, { key, changed: ['feeUtia', 'txHash'] }, changed);
  await insertRows(query, ImportedFeePastEntity, replaced);
  await insertRows(query, ImportedFeeEntity, added);
}
