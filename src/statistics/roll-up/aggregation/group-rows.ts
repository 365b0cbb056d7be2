import { LARGEST_MONEY } from '../../../domain/bounds.js';
import { Decimal } from '../../../domain/cost/decimal.js';
import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';

const MOST_MONEY = Decimal.of(LARGEST_MONEY);
const CONFIRMED = evidenceCodeOf('CONFIRMED');
const UNREFERENCED = evidenceCodeOf('UNREFERENCED');

/** What becomes of rows that are alike. */
export const RowClass = { SUCCESS: 0, FAILED: 1, LANDED: 2, UNREFERENCED: 3, RECONSTRUCTED: 4 } as const;

/** Rows of a piece that are alike in all that their cost depends on. */
export interface RowGroup {
  readonly piece: number;
  readonly chain: string;
  readonly namespaceKey: number;
  readonly kind: number;
  readonly status: number;
  readonly rowClass: number;
  readonly gasPrice: Decimal | null;
  /** utia; null: none was imported. */
  readonly fee: bigint | null;
  readonly blobCount: bigint | null;
  readonly shares: bigint | null;
  readonly signedShares: bigint | null;
  /** Bytes of each row, where they are needed to tell its cost. */
  readonly sizeBytes: bigint | null;
  readonly rows: bigint;
  /** How many of them have known bytes, and how many bytes those have. */
  readonly sizedRows: bigint;
  readonly bytes: bigint;
  /** Time of the latest one, Unix microseconds. */
  readonly lastAt: bigint;
}

/** Statement after the common table expressions that give `r` and, where it is joined, `fee`. */
export function groupRows(hasFees: boolean): string {
  return `SELECT r.piece, r.chain, coalesce(r.namespace_key, 0) AS namespace_key, r.kind, r.status,
      CASE WHEN r.node_key IS NULL THEN ${RowClass.RECONSTRUCTED}
           WHEN r.status = 0 AND r.evidence = ${UNREFERENCED} THEN ${RowClass.UNREFERENCED}
           WHEN r.status = 0 THEN ${RowClass.SUCCESS}
           WHEN r.evidence = ${CONFIRMED} THEN ${RowClass.LANDED}
           ELSE ${RowClass.FAILED} END AS row_class,
      r.gas_price, ${hasFees ? 'fee.fee_utia' : 'NULL::numeric'} AS fee, r.blob_count, r.shares, r.signed_shares,
      CASE WHEN r.shares IS NULL OR r.signed_shares IS NULL THEN r.size_bytes END AS size_each,
      count(*) AS rows, count(r.size_bytes) AS sized, coalesce(sum(r.size_bytes), 0) AS bytes,
      (extract(epoch FROM max(r.time_at)) * 1000000)::bigint AS last_us
    FROM r ${hasFees ? 'LEFT JOIN fee ON fee.owner_key = r.owner_key AND fee.row_id = r.row_id' : ''}
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12`;
}

/** A row of {@link groupRows}. */
export interface GroupRow {
  readonly piece: number;
  readonly chain: string;
  readonly namespace_key: number;
  readonly kind: number;
  readonly status: number;
  readonly row_class: number;
  readonly gas_price: string | null;
  readonly fee: string | null;
  readonly blob_count: number | null;
  readonly shares: number | null;
  readonly signed_shares: number | null;
  readonly size_each: string | null;
  readonly rows: string;
  readonly sized: string;
  readonly bytes: string;
  readonly last_us: string;
}

export function toRowGroup(row: GroupRow): RowGroup {
  return {
    piece: row.piece,
    chain: row.chain,
    namespaceKey: row.namespace_key,
    kind: row.kind,
    status: row.status,
    rowClass: row.row_class,
    gasPrice: row.gas_price === null ? null : readGasPrice(row.gas_price),
    fee: integer(row.fee),
    blobCount: integer(row.blob_count),
    shares: integer(row.shares),
    signedShares: integer(row.signed_shares),
    sizeBytes: integer(row.size_each),
    rows: BigInt(row.rows),
    sizedRows: BigInt(row.sized),
    bytes: BigInt(row.bytes),
    lastAt: BigInt(row.last_us),
  };
}

/** A price that cannot be is as good as unknown. */
function readGasPrice(text: string): Decimal | null {
  const price = Decimal.parse(text);
  return price && price.compare(MOST_MONEY) <= 0 ? price : null;
}

function integer(value: string | number | null): bigint | null {
  return value === null ? null : BigInt(value);
}
