import { createHash } from 'node:crypto';

/** One attempt, as the real node lists it. */
export interface SentRow {
  readonly text: string;
  /** Unix milliseconds of its timestamp. */
  readonly atMs: number;
}

/** The namespaces of one node's rows. */
export interface Namespaces {
  readonly header: string;
  readonly data: string;
}

/** The namespaces of a simulated node: 29 bytes each, as Celestia lays them out. */
export function namespacesOf(node: number): Namespaces {
  return { header: namespace(`${node} header`), data: namespace(`${node} data`) };
}

/** One attempt in this many fails. */
const FAILURE_EVERY = 12;
const ROWS_EVERY_MS = 600;

/**
 * Row `index` of a node's list with the real node's members, order and lengths. Header and data alternate, with two or three
 * blobs per header batch, one or two per data batch, and a failure now and then. About 400 bytes.
 */
export function submissionAt(node: number, index: number, startMs: number): SentRow {
  const namespaces = namespacesOf(node);
  const isHeader = index % 2 === 0;
  const isFailure = index % FAILURE_EVERY === FAILURE_EVERY - 1;
  const blobs = isHeader ? 2 + (index % 4 === 0 ? 1 : 0) : 1 + (index % 6 === 1 ? 1 : 0);
  const atMs = startMs + index * ROWS_EVERY_MS;
  const sizes = Array.from({ length: blobs }, () => (isHeader ? 366 : 280));
  const namespace = isHeader ? namespaces.header : namespaces.data;
  return { text: sentRow({ daHeight: isFailure ? 0 : daHeightAt(index), atMs, sizes, namespace }), atMs };
}

/** A row as the real node writes it; DA height 0 for a failed attempt. */
export function sentRow(attempt: {
  readonly daHeight: number;
  readonly atMs: number;
  /** Bytes of each blob. */
  readonly sizes: readonly number[];
  readonly namespace: string;
}): string {
  const { daHeight, atMs, sizes, namespace } = attempt;
  const label = `${namespace} ${atMs}`;
  const nanoseconds = String(digest(label).readUInt32BE() % 1_000_000).padStart(6, '0');
  const isFailure = daHeight === 0;
  return JSON.stringify({
    id: `submission_${daHeight}_${Math.floor(atMs / 1000)}`,
    height: daHeight,
    blob_size: sizes.reduce((sum, size) => sum + size, 0),
    timestamp: `${new Date(atMs).toISOString().slice(0, -1)}${nanoseconds}Z`,
    gas_price: 0,
    status_code: isFailure ? 'Error' : 'Success',
    ...(isFailure && { message: 'failed to submit blobs: handler: websocket connection closed' }),
    num_blobs: sizes.length,
    ...(!isFailure && { blob_ids: blobIds(label, daHeight, sizes.length) }),
    namespace,
  });
}

/** A header batch and a data batch share one DA block. */
function daHeightAt(index: number): number {
  return 1_000_000 + (index >> 1);
}

/** A list as the node returns it: the newest `size` of the first `count` rows, newest first. */
export function listBody(texts: readonly string[], count: number, size = 100): Buffer {
  const rows = texts.slice(Math.max(0, count - size), count).toReversed();
  return Buffer.from(`{"submissions":[${rows.join(',')}],"total":${rows.length}}\n`);
}

const remembered = new Map<string, string>();

function namespace(name: string): string {
  const known = remembered.get(name) ?? '0'.repeat(38) + digest(name).toString('hex').slice(0, 20);
  remembered.set(name, known);
  return known;
}

function blobIds(label: string, height: number, count: number): string[] {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(height));
  return Array.from(
    { length: count },
    (_, blob) => bytes.toString('hex') + digest(`${label} ${blob}`).toString('hex'),
  );
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
