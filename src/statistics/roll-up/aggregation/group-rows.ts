import { LARGEST_MONEY } from '../../../domain/bounds.js';
import { Decimal } from '../../../domain/cost/decimal.js';
import type { Micros } from '../../../domain/time.js';
import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';

const MOST_MONEY = Decimal.of(LARGEST_MONEY);
const CONFIRMED = evidenceCodeOf('CONFIRMED');
const UNREFERENCED = evidenceCodeOf('UNREFERENCED');
const UNDECIDED = evidenceCodeOf('UNDECIDED');

/** What becomes of rows that are alike. */
export const RowClass = {
  SUCCESS: 0,
  FAILED: 1,
  LANDED: 2,
  UNREFERENCED: 3,
  RECONSTRUCTED: 4,
  UNDECIDED: 5,
} as const;

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
  /** Time of the latest one. */
  readonly lastAt: Micros;
}

/** SQL: what becomes of a row of `r`. */
export const CLASS_OF_ROW = `CASE WHEN r.evidence = ${UNDECIDED} THEN ${RowClass.UNDECIDED}
           WHEN r.node_key IS NULL THEN ${RowClass.RECONSTRUCTED}
           WHEN r.status = 0 AND r.evidence = ${UNREFERENCED} THEN ${RowClass.UNREFERENCED}
           WHEN r.status = 0 THEN ${RowClass.SUCCESS}
           WHEN r.evidence = ${CONFIRMED} THEN ${RowClass.LANDED}
           ELSE ${RowClass.FAILED} END`;

/** Statement after the common table expressions that give `r` and, where it is joined, `fee`. */
export function groupRows(hasFees: boolean): string {
  return `SELECT r.piece, r.chain, r.namespace_key AS "namespaceKey", r.kind, r.status,
      ${CLASS_OF_ROW} AS "rowClass",
      r.gas_price AS "gasPrice", ${hasFees ? 'fee.fee_utia' : 'NULL::numeric'} AS fee, r.blob_count AS "blobCount",
      r.shares, r.signed_shares AS "signedShares",
      CASE WHEN r.shares IS NULL OR r.signed_shares IS NULL THEN r.size_bytes END AS "sizeBytes",
      count(*) AS rows, count(r.size_bytes) AS "sizedRows", coalesce(sum(r.size_bytes), 0) AS bytes,
      max(r.time_at) AS "lastAt"
    FROM r ${hasFees ? 'LEFT JOIN fee ON fee.owner_key = r.owner_key AND fee.row_id = r.row_id' : ''}
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12`;
}

/** A row of {@link groupRows}, whose numbers are of the types that the database has for them. */
export type GroupRow = Omit<RowGroup, 'gasPrice' | 'fee' | 'bytes' | SmallNumber> &
  Readonly<Record<SmallNumber, number | null>> & {
    readonly gasPrice: string | null;
    readonly fee: string | null;
    readonly bytes: string;
  };
type SmallNumber = 'blobCount' | 'shares' | 'signedShares';

export function toRowGroup(row: GroupRow): RowGroup {
  return {
    ...row,
    gasPrice: row.gasPrice === null ? null : readGasPrice(row.gasPrice),
    fee: integer(row.fee),
    blobCount: integer(row.blobCount),
    shares: integer(row.shares),
    signedShares: integer(row.signedShares),
    bytes: BigInt(row.bytes),
  };
}

/** A price that cannot be is as good as unknown. */
export function readGasPrice(text: string): Decimal | null {
  const price = Decimal.parse(text);
  return price && price.compare(MOST_MONEY) <= 0 ? price : null;
}

function integer(value: string | number | null): bigint | null {
  return value === null ? null : BigInt(value);
}
