/** The content of a row of a node's list, before it is written as text. */
export interface RowSaying {
  /** Unix milliseconds on the node's clock; null: the zero time. */
  readonly at: number | null;
  /** Digits after the millisecond. */
  readonly digits: string;
  readonly status: string;
  readonly message: string | null;
  readonly namespace: string;
  readonly daHeight: bigint;
  /** Null: the cell is unreadable. */
  readonly blobs: number | null;
  readonly bytes: number | null;
  /** Decimal text; nodes that do not know the price write `0` or `-1`. */
  readonly gasPrice: string;
}

/** Failures as real nodes report them; attempts with an uncertain outcome may have landed. */
export const FAILURES: readonly { readonly status: string; readonly message: string }[] = [
  { status: 'Error', message: 'account balance is too low' },
  { status: 'Error', message: 'websocket connection closed' },
  { status: 'Already In Mempool', message: 'tx already in mempool' },
  { status: 'Context Deadline', message: 'context deadline exceeded' },
  { status: 'Not Included In Block', message: 'not included within 10 blocks' },
  { status: 'Incorrect Account Sequence', message: 'account sequence mismatch' },
  { status: 'Too Big', message: 'blob: over size limit' },
  { status: 'Context Canceled', message: 'context canceled' },
  { status: 'Not Found', message: 'blob: not found' },
  { status: 'Height From Future', message: 'given height is from the future' },
  { status: 'Moon In The Way', message: 'nobody knows' },
];

/** Failures that leave open whether the batch landed. */
export const UNCERTAIN_FAILURES = FAILURES.slice(1, 5);

/** The row as the real node writes it. */
export function writeRow(saying: RowSaying): string {
  const { at, digits, status, message, namespace, daHeight, blobs, bytes, gasPrice } = saying;
  const timestamp =
    at === null ? '0001-01-01T00:00:00Z' : new Date(at).toISOString().replace('Z', `${digits}Z`);
  const row = {
    id: `submission_${daHeight}_${at === null ? 0 : Math.floor(at / 1000)}`,
    height: Number(daHeight),
    blob_size: bytes ?? 'large',
    timestamp,
    status_code: status,
    num_blobs: blobs ?? 'several',
    namespace,
    ...(message !== null && { message }),
  };
  // The price must keep all digits that the node prints.
  return `${JSON.stringify(row).slice(0, -1)},"gas_price":${gasPrice}}`;
}
