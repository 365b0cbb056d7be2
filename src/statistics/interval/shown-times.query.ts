import { readHeight } from '../../domain/bounds.js';
import { greatest, groupBy } from '../../domain/collections.js';
import { SHORT_GAP_MS } from '../../domain/health/coverage-line.js';
import { RETIRED_RULE } from '../../domain/health/trouble.js';
import type { Micros, Nanos } from '../../domain/time.js';
import type { Query } from '../../platform/sql.js';
import { healthKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import type { IntervalRequest } from './interval-request.js';

/** The events that showed a block as included, header and data. Null while no node has shown it so. */
export interface ShownBlockRow {
  readonly height: bigint;
  readonly timeNs: Nanos;
  /** The first event, of any node, that showed the block as included. */
  readonly shownPosition: bigint | null;
  /** The event that recorded the block at that node. */
  readonly recordedPosition: bigint | null;
  readonly shownBy: number | null;
}

/** When a block was first observed as included. */
export interface ShownTime {
  readonly seenUs: Micros;
  /** The same time; null if the block may have been shown long before, because the node was not monitored. */
  readonly atUs: Micros | null;
  /** If `atUs` is null: until when the block is known not to have been included; null if not known. */
  readonly waitedToUs: Micros | null;
}

/**
 * A block that is already included when it is recorded was shown so no earlier than it was made. Within this time after that,
 * the observation counts as the moment, to the minute.
 */
const PROMPT_NS: Nanos = 60_000_000_000n;
/** A block found this soon after an unmonitored time may have been shown during that time. */
const AFTER_UNWATCHED = "interval '10 minutes'";

/** A gap in the list may be the only sign of an unmonitored time. A short gap is the time between two polls. */
const UNWATCHED = `(i.rule IN ('unwatched', '${RETIRED_RULE}') OR i.rule = 'rows-missed' AND i.to_at - i.from_at > interval '${SHORT_GAP_MS} ms')`;

/** Picks the node that showed the block first: arrays compare from the left. */
const FIRST = `min(ARRAY[greatest(coalesce(b.header_included_position, b.from_position), coalesce(b.data_included_position, b.from_position)),
  b.from_position, b.node_key]) FILTER (WHERE b.header_da_height IS NOT NULL AND (b.tx_count = 0 OR b.data_da_height IS NOT NULL))`;

/** SQL: the columns of {@link ShownBlockRow} for blocks `b` as they were known, grouped by block. */
export const SHOWN_COLUMNS = `(${FIRST})[1] AS "shownPosition", (${FIRST})[2] AS "recordedPosition", (${FIRST})[3]::int AS "shownBy"`;

/** When blocks were first observed as included, in their order; undefined for a block that was not. */
export async function getShownTimes(
  query: Query,
  { nodes, knownAt }: Pick<IntervalRequest, 'nodes' | 'knownAt'>,
  blocks: readonly ShownBlockRow[],
): Promise<(ShownTime | undefined)[]> {
  const idOf = new Map(nodes.map(({ id, key }) => [key, id]));
  const asked = new Map<bigint, string>();
  for (const { shownPosition, shownBy } of blocks)
    if (shownPosition !== null && shownBy !== null) asked.set(shownPosition, idOf.get(shownBy) ?? '');
  const rows = await query<{ position: bigint; at: Micros; unwatchedTo: Micros | null }>(
    `SELECT e.position, e.observed_at AS at, (${unwatchedBefore(knownAt)}) AS "unwatchedTo"
       FROM unnest($1::bigint[], $2::text[]) AS asked(position, node) JOIN event e ON e.position = asked.position`,
    [[...asked.keys()], [...asked.values()]],
  );
  const found = new Map(rows.map((row) => [row.position, row]));
  const times = blocks.map(({ shownPosition, recordedPosition, timeNs }) => {
    if (shownPosition === null) return undefined;
    const event = found.get(shownPosition);
    if (event === undefined) throw new Error(`The log has no event ${shownPosition}`);
    const isPrompt = shownPosition !== recordedPosition || event.at * 1_000n - timeNs <= PROMPT_NS;
    // A block made after the unmonitored time was monitored from its start.
    const isWatched = event.unwatchedTo === null || event.unwatchedTo * 1_000n <= timeNs;
    return { seenUs: event.at, atUs: isPrompt && isWatched ? event.at : null };
  });
  const unseen = blocks.filter((_, index) => times[index]?.atUs === null);
  const waitedTo = await getWaitedTimes(query, unseen);
  return times.map((time, index) => time && { ...time, waitedToUs: waitedTo.get(blocks[index]) ?? null });
}

/**
 * SQL: the end of the last time in which the node was not monitored, if it reaches into those minutes before the event. Only
 * our own coverage has its bounds: no interval of the other health lines begins in a time that another poll has reported.
 */
function unwatchedBefore(knownAt: bigint | undefined): string {
  const line = `FROM ${healthKnownAt(knownAt)} WHERE i.node = asked.node AND i.component = 'COVERAGE' AND i.to_position IS NULL`;
  return `SELECT max(coalesce(i.to_at, e.observed_at)) ${line} AND ${UNWATCHED} AND i.from_at < e.observed_at
      AND i.from_at >= coalesce((SELECT max(i.from_at) ${line} AND i.from_at <= e.observed_at - ${AFTER_UNWATCHED}), '-infinity')`;
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
async function getWaitedTimes(
  query: Query,
  blocks: readonly ShownBlockRow[],
): Promise<ReadonlyMap<ShownBlockRow | undefined, Micros>> {
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
      return times.length === 0 ? [] : [[block, times.reduce((a, b) => greatest(a, b))] as const];
    }),
  );
}
