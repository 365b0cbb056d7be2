import type { RingRow } from '../../src/devnode/submission-ring.js';
import type { ServiceProcess } from './service-process.js';

/** Buckets in which figures are compared. */
export type CountedBucket = 'HOUR' | 'DAY';

/** Figures of one bucket, as GraphQL writes them. */
interface RingFigures {
  readonly time: string;
  readonly attempts: string;
  readonly successes: string;
  readonly failures: string;
  readonly blobCount: string;
  readonly sizeBytes: string;
  readonly landed: string;
  readonly reconstructed: string;
  readonly unreadable: string;
}

const STATISTICS = `query ($id: ID!, $bucket: Bucket!) {
  statistics(bucket: $bucket, filter: { nodes: [$id] }) {
    time attempts successes failures blobCount sizeBytes landed reconstructed unreadable
  }
}`;

/** The start of the UTC bucket of a row's time, as GraphQL writes times. */
const START: Readonly<Record<CountedBucket, (timestamp: string) => string>> = {
  HOUR: (timestamp) => `${new Date(timestamp).toISOString().slice(0, 13)}:00:00.000Z`,
  DAY: (timestamp) => `${new Date(timestamp).toISOString().slice(0, 10)}T00:00:00.000Z`,
};

/** A service's figures of one node's list, by bucket, the oldest first. */
export async function readRingStatistics(
  service: ServiceProcess,
  id: string,
  bucket: CountedBucket,
): Promise<RingFigures[]> {
  const { statistics } = await service.graphql<{ statistics: RingFigures[] }>(STATISTICS, { id, bucket });
  return statistics;
}

/** The same figures, added up from the rows that entered the list, none of which was lost or landed despite a failure. */
export function countRing(truth: readonly RingRow[], bucket: CountedBucket): RingFigures[] {
  const startOf = ({ timestamp }: RingRow): string => START[bucket](timestamp);
  const starts = [...new Set(truth.map(startOf))].toSorted();
  return starts.map((time) => {
    const rows = truth.filter((row) => startOf(row) === time);
    const posted = rows.filter(({ status_code }) => status_code === 'Success');
    const sum = (of: (row: RingRow) => number): string =>
      String(posted.reduce((total, row) => total + of(row), 0));
    return {
      time,
      attempts: String(rows.length),
      successes: String(posted.length),
      failures: String(rows.length - posted.length),
      blobCount: sum(({ num_blobs }) => num_blobs),
      sizeBytes: sum(({ blob_size }) => blob_size),
      landed: '0',
      reconstructed: '0',
      unreadable: '0',
    };
  });
}
