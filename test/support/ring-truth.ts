import type { Devnode } from '../../src/devnode/devnode.js';
import type { RingRow } from '../../src/devnode/submission-ring.js';
import type { ServiceProcess } from './service-process.js';

/** Records every row that enters a devnode's list from now on, including its present rows. */
export function watchRing(node: Devnode): readonly RingRow[] {
  const { ring } = node;
  const truth = [...ring.list()].reverse();
  const record = ring.record.bind(ring);
  ring.record = (row) => {
    truth.push(row);
    record(row);
  };
  return truth;
}

/** A recorded row of a node's list, as GraphQL returns it. */
interface RecordedRow {
  readonly sequence: string;
  readonly status: string;
  readonly evidence: string;
  readonly raw: unknown;
}

/** A recorded gap, as GraphQL returns it. */
interface RecordedLoss {
  readonly kind: string;
  readonly afterSequence: string;
  readonly minLost: string;
  readonly maxLost: string | null;
}

interface Reconstructed {
  readonly kind: string;
  readonly daHeight: string;
  readonly blobCount: number;
  readonly sizeBytes: string;
}

/** A service's record of a node's list, with all contradictions to the truth. */
export interface Audit {
  readonly rows: readonly RecordedRow[];
  readonly losses: readonly RecordedLoss[];
  /** Rows that were never observed. */
  readonly missing: readonly RingRow[];
  /** Successes among them that no block has proven (yet). */
  readonly unproven: readonly RingRow[];
  /** One line per contradiction; empty when the record is right. */
  readonly faults: readonly string[];
}

const ROWS = `query ($id: ID!, $after: String) {
  submissions(filter: { nodes: [$id] }, order: OBSERVED_ASC, first: 500, after: $after) {
    nodes { sequence status evidence raw } pageInfo { hasNextPage endCursor }
  }
}`;

const LOSSES = `query ($id: ID!, $after: String) {
  losses(filter: { nodes: [$id] }, first: 500, after: $after) {
    nodes { kind afterSequence minLost maxLost } pageInfo { hasNextPage endCursor }
  }
}`;

const RECONSTRUCTED = `query ($chains: [String!], $after: String) {
  submissions(filter: { evidence: [RECONSTRUCTED], chains: $chains }, order: OBSERVED_ASC, first: 500, after: $after) {
    nodes { kind daHeight blobCount sizeBytes } pageInfo { hasNextPage endCursor }
  }
}`;

/**
 * Compares a service's record of one node's list with the rows that entered it, in order.
 *
 * @param chain the node's chain; needed if nodes of other chains are monitored too
 * @param told the part of a row that the service was shown
 */
export async function auditRing(
  service: ServiceProcess,
  id: string,
  truth: readonly RingRow[],
  chain?: string,
  told: (row: RingRow) => object = (row) => row,
): Promise<Audit> {
  const rows = await service.readAll<RecordedRow>(ROWS, { id });
  const losses = await service.readAll<RecordedLoss>(LOSSES, { id });
  const reconstructed = await service.readAll<Reconstructed>(RECONSTRUCTED, {
    chains: chain === undefined ? null : [chain],
  });
  const { missing, faults } = compareInOrder(rows, losses, truth, told);
  const proven = compareReconstructed(reconstructed, missing, truth);
  return { rows, losses, missing, unproven: proven.unproven, faults: [...faults, ...proven.faults] };
}

function compareInOrder(
  rows: readonly RecordedRow[],
  losses: readonly RecordedLoss[],
  truth: readonly RingRow[],
  told: (row: RingRow) => object,
): { missing: RingRow[]; faults: string[] } {
  const places = new Map(truth.map((row, at) => [JSON.stringify(told(row)), at]));
  const missing: RingRow[] = [];
  const faults: string[] = [];
  let next = 0;
  rows.forEach(({ sequence, raw }, index) => {
    if (sequence !== String(index + 1)) faults.push(`sequence ${sequence} stands at place ${index + 1}`);
    const place = places.get(JSON.stringify(raw));
    if (place === undefined) faults.push(`sequence ${sequence} was never in the list`);
    else if (place < next)
      faults.push(`sequence ${sequence} is doubled or out of order (${place} < ${next})`);
    else {
      faults.push(...checkHole(losses, index, place - next));
      missing.push(...truth.slice(next, place));
      next = place + 1;
    }
  });
  if (next < truth.length) faults.push(`the last ${truth.length - next} rows are not recorded`);
  return { missing, faults };
}

/** The gaps recorded after a row must cover the rows missing after it. */
function checkHole(losses: readonly RecordedLoss[], after: number, lost: number): string[] {
  const stated = losses.filter(({ afterSequence }) => afterSequence === String(after));
  const atLeast = stated.reduce((sum, { minLost }) => sum + Number(minLost), 0);
  const atMost = stated.reduce((sum, { maxLost }) => sum + Number(maxLost ?? Infinity), 0);
  if (lost >= atLeast && lost <= atMost) return [];
  const what = stated.map(({ kind, minLost, maxLost }) => `${kind} ${minLost}..${maxLost ?? ''}`).join(', ');
  return [`behind sequence ${after} there are ${lost} rows missing, and stated is: ${what || 'nothing'}`];
}

/** Submissions that only blocks prove must be among the unobserved rows, each once. */
function compareReconstructed(
  reconstructed: readonly Reconstructed[],
  missing: readonly RingRow[],
  truth: readonly RingRow[],
): Pick<Audit, 'unproven' | 'faults'> {
  const lost = new Set(missing.filter((row) => row.status_code === 'Success'));
  const faults: string[] = [];
  for (const { kind, daHeight, blobCount, sizeBytes } of reconstructed) {
    const found = [...lost].find(
      (row) =>
        String(row.height) === daHeight && row.num_blobs === blobCount && String(row.blob_size) === sizeBytes,
    );
    if (found) lost.delete(found);
    else {
      const there = truth.filter((row) => String(row.height) === daHeight).map((row) => describe(row, lost));
      faults.push(
        `${kind} of ${blobCount} blobs and ${sizeBytes} bytes at DA height ${daHeight} was not lost; there: ${there.join('; ')}`,
      );
    }
  }
  return { unproven: [...lost], faults };
}

function describe(row: RingRow, lost: ReadonlySet<RingRow>): string {
  const fate = lost.has(row) ? 'lost' : 'seen or reconstructed';
  return `${row.num_blobs} blobs, ${row.blob_size} bytes in ${row.namespace.slice(-8)}, ${fate}`;
}
