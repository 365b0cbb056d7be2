import type { Query } from '../../../platform/sql.js';
import { mapInTurns, nextTurn } from '../../../platform/turns.js';
import { BUCKET, bucketParameters, bucketRows } from '../plan/bucket-rows.js';
import { getReaches, type Reach } from './data-reach.query.js';
import { piecesBefore, piecesOf } from '../plan/pieces.js';
import type { ReportPlan } from '../plan/report-plan.js';

/** How far a node or a chain had come at the end of a bucket. */
export interface BlockEnd {
  readonly nodeKey: number;
  readonly chain: string;
  readonly bucket: number;
  /** Newest height of the newest lineage. */
  readonly head: bigint;
  /** The height up to which headers and data were included; null where no header is known to be. */
  readonly frontier: bigint | null;
}

/** Buckets of a subject that are gone through in one turn of the event loop. */
const BUCKETS_PER_TURN = 1_000;

interface MarkRow {
  readonly node_key: number;
  readonly chain: string;
  readonly lineage_key: number;
  readonly n: number;
  readonly bucket: number;
  readonly head: string | null;
  readonly header_frontier: string | null;
  readonly data_frontier: string | null;
  readonly transactions: string;
}

/** Running maxima of one lineage. */
interface Marks {
  readonly lineageKey: number;
  readonly n: number;
  head: bigint | null;
  header: bigint | null;
  data: bigint | null;
  /** Transactions of all blocks so far. */
  transactions: bigint;
}

/** An end whose data frontier may reach further than the last data that was posted. */
interface OpenEnd extends Omit<BlockEnd, 'frontier' | 'head'> {
  readonly marks: Readonly<Marks> & { readonly head: bigint };
  readonly reach: Reach | undefined;
}

/** The heads and frontiers at the end of every bucket, from the first one on in which a block is known. */
export async function getBlockEnds(query: Query, plan: ReportPlan): Promise<BlockEnd[]> {
  const ends = await toOpenEnds(plan, await getMarks(query, plan));
  const reached = await getReaches(
    query,
    ends.flatMap(({ reach }) => reach ?? []),
  );
  return mapInTurns(ends, ({ nodeKey, chain, bucket, marks, reach }) => {
    const data = reach === undefined ? marks.head : (reached.get(reach.name) ?? marks.data);
    const frontier = marks.header === null || data === null ? null : least(marks.header, data);
    return { nodeKey, chain, bucket, head: marks.head, frontier: frontier && least(frontier, marks.head) };
  });
}

/** Maxima by subject, lineage and bucket; bucket -1 holds everything before the report. */
function getMarks(query: Query, plan: ReportPlan): Promise<MarkRow[]> {
  return query<MarkRow>(
    // Looked up for each group: the planner would join the lineages to every row.
    `SELECT s.node_key, s.chain, s.lineage_key, ${BUCKET} AS bucket, max(s.last_height) AS head,
            coalesce((SELECT l.n FROM lineage l WHERE l.lineage_key = s.lineage_key), 0) AS n,
            max(s.header_frontier) AS header_frontier, max(s.data_frontier) AS data_frontier,
            sum(s.transactions) AS transactions
       ${bucketRows('block_statistic')}
      GROUP BY s.node_key, s.chain, s.lineage_key, bucket ORDER BY s.node_key, s.chain, bucket`,
    bucketParameters(plan, (zone) => [...piecesBefore(plan.fromUs, zone), ...piecesOf(plan, zone)]),
  );
}

async function toOpenEnds(plan: ReportPlan, rows: readonly MarkRow[]): Promise<OpenEnd[]> {
  const ends: OpenEnd[] = [];
  for (const ofSubject of listsBy(rows, (row) => `${row.node_key} ${row.chain}`).values()) {
    const byBucket = listsBy(ofSubject, (row) => row.bucket);
    const lineages = new Map<number, Marks>();
    for (let bucket = -1; bucket < plan.starts.length; bucket++) {
      if (bucket % BUCKETS_PER_TURN === 0) await nextTurn();
      for (const row of byBucket.get(bucket) ?? []) raise(lineages, row);
      const newest = newestOf(lineages);
      const first = ofSubject[0];
      if (bucket < 0 || newest === undefined || first === undefined) continue;
      const { node_key: nodeKey, chain } = first;
      ends.push({ nodeKey, chain, bucket, marks: newest, reach: toReach(nodeKey, newest) });
    }
  }
  return ends;
}

function raise(lineages: Map<number, Marks>, row: MarkRow): void {
  const { lineage_key: lineageKey, n } = row;
  const marks = lineages.get(lineageKey) ?? {
    lineageKey,
    n,
    head: null,
    header: null,
    data: null,
    transactions: 0n,
  };
  lineages.set(lineageKey, marks);
  marks.head = greatest(marks.head, row.head);
  marks.header = greatest(marks.header, row.header_frontier);
  marks.data = greatest(marks.data, row.data_frontier);
  marks.transactions += BigInt(row.transactions);
}

function newestOf(lineages: ReadonlyMap<number, Marks>): (Marks & { readonly head: bigint }) | undefined {
  let newest: (Marks & { readonly head: bigint }) | undefined;
  for (const { head, ...marks } of lineages.values()) {
    if (head !== null && (newest === undefined || marks.n > newest.n)) newest = { ...marks, head };
  }
  return newest;
}

/**
 * Where to look for the first block with transactions behind the last data that was posted. Undefined: nothing needs to
 * be looked up, since no block has transactions (the data frontier is the head), or since the frontier of headers decides.
 */
function toReach(nodeKey: number, marks: Marks & { readonly head: bigint }): Reach | undefined {
  if (marks.transactions === 0n || marks.header === null) return undefined;
  if (marks.data !== null && marks.data >= marks.header) return undefined;
  const upTo = least(marks.header, marks.head);
  const after = marks.data ?? 0n;
  const { lineageKey } = marks;
  return { name: `${nodeKey} ${lineageKey} ${after} ${upTo}`, nodeKey, lineageKey, after, upTo };
}

function greatest(known: bigint | null, found: string | null): bigint | null {
  if (found === null) return known;
  const height = BigInt(found);
  return known === null || height > known ? height : known;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function listsBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const lists = new Map<Key, Item[]>();
  for (const item of items) {
    const list = lists.get(keyOf(item));
    if (list) list.push(item);
    else lists.set(keyOf(item), [item]);
  }
  return lists;
}
