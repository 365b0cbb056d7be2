import { entryOf, least } from '../../../domain/collections.js';
import { QUARTER_US, type Micros } from '../../../domain/time.js';
import type { Query } from '../../../platform/sql.js';
import { quarterOf } from '../../../projections/quarters.js';
import type { BucketRows } from '../../roll-up/stored-rows.js';
import type { Slot } from './grouped-rows.js';
import type { ReportPlan } from './report-plan.js';
import { isFine } from './report-request.js';
import { timesParameter } from './stored-rows.js';

/** Recorded data of a row's time and group that are not in its figures. */
export interface UncountedData {
  /**
   * Whether nothing is lacking. If not, stored sums cover a part: figures are null without stored sums, and have no upper
   * bounds.
   */
  readonly isCounted: boolean;
  /** Whether all events of the row's time are read, and their consequences are decided. */
  readonly isDecided: boolean;
  /** Time that is not in the figures, for all owners of the row together: its coverage is 0. */
  readonly us: Micros;
}

export interface Uncounted {
  of(slot: Slot): UncountedData;
  /** Whether everything of this group is counted from the beginning of time up to the end of a bucket. */
  isWholeTo(slot: Slot): boolean;
}

/** Quarter hours of a bucket of a node or chain that wait to be computed again. */
interface MarkedBucket {
  /** -1 before the report. */
  readonly bucket: number;
  readonly nodeKey: number | null;
  readonly chain: string | null;
  readonly quarters: bigint;
}

/** The part of the log that the record lacks. */
interface UnreadRow {
  readonly readPosition: bigint;
  /** Facts of this time and later are not read. Null if nothing is late. */
  readonly unreadFromUs: Micros | null;
  /** Chains with deferred decisions. */
  readonly undecided: readonly string[] | null;
  /** Chains that may lack rows since a time (the view `reporting.unnamed_lists`), in Unix microseconds. */
  readonly waiting: Readonly<Record<string, number>> | null;
  /** Whether any quarter hour waits to be computed again. */
  readonly isMarked: boolean;
}

/**
 * Without parameters, so that its plan is kept: making one takes longer than this does. ORDER BY makes it use an index: the table of
 * marks may have many dead rows.
 */
const UNREAD = `SELECT u.read_position AS "readPosition", u.from_at AS "unreadFromUs",
            (SELECT array_agg(DISTINCT chain) FROM decision_turn) AS undecided,
            (SELECT jsonb_object_agg(chain, from_us)
               FROM (SELECT chain, floor(extract(epoch FROM min(from_at)) * 1000000) AS from_us FROM reporting.unnamed_lists GROUP BY 1) l) AS waiting,
            coalesce((SELECT true FROM roll_up_mark ORDER BY node_key, chain, quarter_at LIMIT 1), false) AS "isMarked"
       FROM reporting.unread u`;

const NOTHING: UncountedData = { isCounted: true, isDecided: true, us: 0n };

/**
 * Finds what the figures of a report lack: quarter hours with a mark, events that no read model has read (the view
 * `reporting.unread`), chains with deferred decisions, and rows of lists without a chain. Every reader of figures calls it, in
 * the snapshot that the figures are read from. A mark is deleted in the transaction that brings its quarter hour up to date.
 *
 * @param of the sums of these figures: those that are added up for the report have no marks
 */
export async function findUncounted(
  query: Query,
  plan: ReportPlan,
  of: keyof BucketRows,
): Promise<Uncounted> {
  const [row] = await query<UnreadRow>(UNREAD);
  const turns = new Set(row?.undecided);
  const unreadFromUs = unreadFrom(row, plan.knownAt);
  const waiting = waitingOf(row);
  const members = membersOf(plan);
  const marked = new Map<string, bigint>();
  const firstMarked = new Map<string, number>();
  const hasMarks = row?.isMarked === true && plan.recounted?.[of] === undefined;
  for (const { bucket, nodeKey, chain, quarters } of hasMarks ? await readMarks(query, plan) : []) {
    const group = nameOf(plan, nodeKey, chain);
    marked.set(`${bucket} ${group}`, quarters);
    firstMarked.set(group, Math.min(firstMarked.get(group) ?? bucket, bucket));
  }
  if (unreadFromUs === null && turns.size === 0 && waiting.size === 0 && marked.size === 0)
    return { of: () => NOTHING, isWholeTo: () => true };
  const lackingOf = ({ bucket, group }: Slot): UncountedData => {
    const member = members.get(nameOf(plan, group.nodeKey, group.chain));
    const [count, chains] = [BigInt(member?.owners.size ?? 0), [...(member?.chains ?? [])]];
    const [start, end] = [plan.starts[bucket] ?? plan.fromUs, plan.starts[bucket + 1] ?? plan.endUs];
    if (chains.some((chain) => turns.has(chain)))
      return { isCounted: false, isDecided: false, us: count * (end - start) };
    const quarters = marked.get(`${bucket} ${nameOf(plan, group.nodeKey, group.chain)}`) ?? 0n;
    const missing = [unreadFromUs, ...chains.map((chain) => waiting.get(chain) ?? null)];
    const missingFrom = missing.reduce(earlierOf, null);
    const isDecided = missingFrom === null || end <= missingFrom;
    const unreadUs = isDecided ? 0n : count * lengthOf(plan, start > missingFrom ? start : missingFrom, end);
    return { isCounted: isDecided && quarters === 0n, isDecided, us: quarters * QUARTER_US + unreadUs };
  };
  return {
    of: lackingOf,
    isWholeTo: (slot) =>
      lackingOf(slot).isDecided &&
      (firstMarked.get(nameOf(plan, slot.group.nodeKey, slot.group.chain)) ?? Infinity) > slot.bucket,
  };
}

/**
 * Whether all events of the time before a moment are read, and their consequences for a chain are decided. For figures that are
 * added up from rows.
 */
export async function isDecidedTo(
  query: Query,
  {
    toUs,
    chain,
    knownAt,
  }: { readonly toUs: Micros; readonly chain: string | null; readonly knownAt?: bigint | undefined },
): Promise<boolean> {
  const [row] = await query<UnreadRow>(UNREAD);
  const fromUs = earlierOf(unreadFrom(row, knownAt), waitingOf(row).get(chain ?? '') ?? null);
  return (fromUs === null || toUs <= fromUs) && !row?.undecided?.includes(chain ?? '');
}

/** Null for a position that is read, because everything known there is read. */
function unreadFrom(row: UnreadRow | undefined, knownAt: bigint | undefined): Micros | null {
  if (row === undefined || row.unreadFromUs === null) return null;
  return knownAt !== undefined && knownAt <= row.readPosition ? null : row.unreadFromUs;
}

/** For each chain, since when rows of a list without a chain may belong to it. */
function waitingOf(row: UnreadRow | undefined): ReadonlyMap<string, Micros> {
  return new Map(Object.entries(row?.waiting ?? {}).map(([chain, fromUs]) => [chain, BigInt(fromUs)]));
}

/** The earlier of two times; null means never. */
function earlierOf(a: Micros | null, b: Micros | null): Micros | null {
  return a === null ? b : least(a, b);
}

/** The marks of a report, grouped by node and chain as in the report. */
function readMarks(query: Query, plan: ReportPlan): Promise<MarkedBucket[]> {
  const { owners } = plan.scope;
  const [nodeKey, chain] = [plan.groupBy.has('NODE'), plan.groupBy.has('CHAIN')];
  // A node's marks have no chain, whichever chain the node reported. The report adds up a quarter hour that its end cuts, and
  // all of its time if its buckets are shorter.
  const storedTo = quarterOf(isFine(plan.bucket) ? plan.fromUs : plan.toUs);
  return query(
    `SELECT CASE WHEN m.quarter_at < ($4::timestamptz[])[1] THEN -1 ELSE width_bucket(m.quarter_at, $3::timestamptz[]) - 1 END AS bucket,
            ${nodeKey ? 'm.node_key' : 'NULL::int4'} AS "nodeKey", ${chain ? 'owner.chain' : 'NULL::text'} AS chain,
            count(DISTINCT (m.node_key, m.chain, m.quarter_at)) AS quarters
       FROM unnest($1::int[], $2::text[]) AS owner (node_key, chain)
       JOIN roll_up_mark m ON m.node_key = owner.node_key
        AND m.chain = CASE WHEN owner.node_key = 0 THEN owner.chain ELSE '' END
        AND m.quarter_at < ($4::timestamptz[])[2]
      GROUP BY 1, 2, 3`,
    [
      owners.map(({ nodeKey }) => nodeKey),
      owners.map(({ chain }) => chain),
      timesParameter(plan.starts),
      timesParameter([plan.fromUs, storedTo]),
    ],
  );
}

/** The owners of marks, and the chains, that belong to a group. */
interface GroupMembers {
  readonly owners: Set<string>;
  readonly chains: Set<string>;
}

function membersOf(plan: ReportPlan): ReadonlyMap<string, GroupMembers> {
  const members = new Map<string, GroupMembers>();
  for (const { nodeKey, chain } of plan.scope.owners) {
    const name = nameOf(plan, nodeKey, chain);
    const { owners, chains } = entryOf(members, name, () => ({ owners: new Set(), chains: new Set() }));
    owners.add(nodeKey === 0 ? chain : String(nodeKey));
    chains.add(chain);
  }
  return members;
}

/** Length of the part of a time that the report covers. */
function lengthOf({ toUs, nowUs }: ReportPlan, from: Micros, to: Micros): Micros {
  const end = least(to, toUs, nowUs);
  return end > from ? end - from : 0n;
}

function nameOf({ groupBy }: ReportPlan, nodeKey: number | null, chain: string | null): string {
  return `${groupBy.has('NODE') ? nodeKey : null} ${groupBy.has('CHAIN') ? chain : null}`;
}
