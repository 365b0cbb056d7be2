import type { ImportedFee } from '../../domain/events.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Query } from '../projection.js';
import type { FeeLedger, FeeRow, FormerFee } from './fee-ledger.js';

interface StoredFee {
  readonly chain: string;
  readonly da_height: string;
  readonly namespace: string;
  readonly ordinal: number;
  readonly fee_utia: string;
  readonly tx_hash: string | null;
  readonly source: string;
  readonly from_position: string;
}

/** A fee, and the chain that it is said of. */
export interface ChainFee {
  readonly chain: string;
  readonly fee: Pick<ImportedFee, 'daHeight' | 'tx'>;
}

const WANTED_COLUMNS = [
  column('chain', 'text', ({ chain }: ChainFee) => chain),
  column('da_height', 'int8', ({ fee }: ChainFee) => BigInt(fee.daHeight)),
  column('tx_hash', 'text', ({ fee }: ChainFee) => fee.tx),
];
const FEE_COLUMNS = [
  column('chain', 'text', (row: FeeRow) => row.chain),
  column('da_height', 'int8', (row: FeeRow) => row.daHeight),
  column('namespace', 'text', (row: FeeRow) => row.namespace),
  column('ordinal', 'int4', (row: FeeRow) => row.ordinal),
  column('fee_utia', 'numeric', (row: FeeRow) => row.feeUtia.toString()),
  column('tx_hash', 'text', (row: FeeRow) => row.tx),
  column('source', 'text', (row: FeeRow) => row.source),
  column('from_position', 'int8', (row: FeeRow) => row.fromPosition),
];

const PAST_COLUMNS = [
  column('chain', 'text', ({ row }: FormerFee) => row.chain),
  column('da_height', 'int8', ({ row }: FormerFee) => row.daHeight),
  column('namespace', 'text', ({ row }: FormerFee) => row.namespace),
  column('ordinal', 'int4', ({ row }: FormerFee) => row.ordinal),
  column('fee_utia', 'numeric', ({ feeUtia }: FormerFee) => feeUtia.toString()),
  column('to_position', 'int8', ({ toPosition }: FormerFee) => toPosition),
];

/** The known fees at the DA heights, and of the transactions, of the given ones; in the order of their ordinals. */
export async function loadKnownFees(query: Query, fees: readonly ChainFee[]): Promise<FeeRow[]> {
  if (fees.length === 0) return [];
  const wanted = unnestRows(WANTED_COLUMNS, fees, 'w');
  const rows = await query<StoredFee>(
    `WITH w AS MATERIALIZED (SELECT * FROM ${wanted.sql})
     SELECT chain, da_height, namespace, ordinal, fee_utia, tx_hash, source, from_position FROM imported_fee f
      WHERE (chain, da_height) IN (SELECT chain, da_height FROM w)
     UNION
     SELECT chain, da_height, namespace, ordinal, fee_utia, tx_hash, source, from_position FROM imported_fee f
      WHERE (chain, tx_hash) IN (SELECT chain, tx_hash FROM w WHERE tx_hash IS NOT NULL)
      ORDER BY chain, da_height, namespace, ordinal`,
    wanted.parameters,
  );
  return rows.map((row) => ({
    chain: row.chain,
    daHeight: BigInt(row.da_height),
    namespace: row.namespace,
    ordinal: row.ordinal,
    feeUtia: BigInt(row.fee_utia),
    tx: row.tx_hash,
    source: row.source,
    fromPosition: BigInt(row.from_position),
  }));
}

/** Writes what changed. A correction keeps place and ordinal. */
export async function writeFees(
  query: Query,
  { added, changed, replaced }: Pick<FeeLedger, 'added' | 'changed' | 'replaced'>,
): Promise<void> {
  if (changed.length > 0) {
    const rows = unnestRows(FEE_COLUMNS, changed, 'c');
    await query(
      `UPDATE imported_fee f SET fee_utia = c.fee_utia, tx_hash = c.tx_hash FROM ${rows.sql}
        WHERE f.chain = c.chain AND f.da_height = c.da_height AND f.namespace = c.namespace AND f.ordinal = c.ordinal`,
      rows.parameters,
    );
  }
  if (replaced.length > 0) {
    const past = unnestRows(PAST_COLUMNS, replaced);
    await query(`INSERT INTO imported_fee_past (${past.names}) SELECT * FROM ${past.sql}`, past.parameters);
  }
  if (added.length === 0) return;
  const { names, sql, parameters } = unnestRows(FEE_COLUMNS, added);
  await query(`INSERT INTO imported_fee (${names}) SELECT ${names} FROM ${sql}`, parameters);
}
