import { readHeight } from '../../domain/bounds.js';
import { groupBy } from '../../domain/collections.js';
import type { Micros } from '../../domain/time.js';
import type { Query } from '../../platform/sql.js';

/**
 * A block that was shown as included, with two events of the node that showed it first: the event that showed it, and the event
 * that recorded it.
 */
interface ShownBlock {
  readonly height: bigint;
  readonly shownPosition: bigint | null;
  readonly recordedPosition: bigint | null;
}

interface SaidRow {
  readonly position: bigint;
  readonly at: Micros;
  readonly daIncluded: string;
}

/** At most this many events of the node's blocks are searched before the event that showed a block. */
const NEAR = 100;

/**
 * Until when blocks are known not to have been included: when they were recorded as not included, or when their node last
 * reported an included height below them. Blocks for which neither is known are left out.
 *
 * Most blocks of an unmonitored time share the event that showed them, and it is read once. A backfill reads nothing: its
 * blocks were already included when they were recorded.
 */
export async function getWaitedTimes<T extends ShownBlock>(
  query: Query,
  blocks: readonly T[],
): Promise<ReadonlyMap<T | undefined, Micros>> {
  const waited = blocks.filter(({ shownPosition, recordedPosition }) => shownPosition !== recordedPosition);
  if (waited.length === 0) return new Map();
  const recorded = await query<{ position: bigint; at: Micros }>(
    'SELECT position, observed_at AS at FROM event WHERE position = ANY ($1::bigint[])',
    [[...new Set(waited.map(({ recordedPosition }) => recordedPosition))]],
  );
  const said = await query<SaidRow>(
    // The limit keeps the query on the index; otherwise the whole log would be read.
    `SELECT e.position, p.observed_at AS at, p.body->>'daIncluded' AS "daIncluded"
       FROM event e CROSS JOIN LATERAL (
            SELECT n.type, n.version, n.observed_at, n.body FROM event n WHERE n.stream = e.stream AND n.version < e.version
             ORDER BY n.version DESC LIMIT ${NEAR}) p
      WHERE e.position = ANY ($1::bigint[]) AND p.type = 'NodeProgressObserved' AND p.body->>'daIncluded' IS NOT NULL
      ORDER BY e.position, p.version DESC`,
    [[...new Set(waited.map(({ shownPosition }) => shownPosition))]],
  );
  const recordedAt = new Map(recorded.map(({ position, at }) => [position, at]));
  const saidBefore = groupBy(said, ({ position }) => String(position));
  return new Map(
    waited.flatMap((block) => {
      const { height, shownPosition, recordedPosition } = block;
      const last = saidBefore.get(String(shownPosition))?.find(({ daIncluded }) => {
        // A node may report a text that is not a height.
        const included = readHeight(daIncluded);
        return included !== null && included < height;
      });
      const times = [recordedAt.get(recordedPosition ?? 0n), last?.at].filter((time) => time !== undefined);
      return times.length === 0 ? [] : [[block, times.reduce((a, b) => (a > b ? a : b))] as const];
    }),
  );
}
