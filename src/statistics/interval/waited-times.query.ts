import { readHeight } from '../../domain/bounds.js';
import { groupBy } from '../../domain/collections.js';
import type { Micros } from '../../domain/time.js';
import type { Query } from '../../platform/sql.js';

/** A block that was shown as included, with the events of the node that showed it so first, and that recorded it. */
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

/** So many events of the node's blocks before the one that showed some are looked through. */
const NEAR = 100;

/**
 * Up to when blocks are known not to have been included: when they were recorded so, or when their node said last that all below them
 * is. Those of which neither is known are left out.
 *
 * Most blocks of a time that nobody watched share the event that showed them, and it is asked for once. A backfill asks for nothing:
 * its blocks came as they are.
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
    // The limit keeps it to the index: the whole log is read otherwise.
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
        // A node may claim a text that is no height.
        const included = readHeight(daIncluded);
        return included !== null && included < height;
      });
      const times = [recordedAt.get(recordedPosition ?? 0n), last?.at].filter((time) => time !== undefined);
      return times.length === 0 ? [] : [[block, times.reduce((a, b) => (a > b ? a : b))] as const];
    }),
  );
}
