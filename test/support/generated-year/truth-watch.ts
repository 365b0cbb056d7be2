import type { DataSource } from 'typeorm';
import type { Figures } from './truth-figures.js';
import type { GeneratedYear } from './year-log.js';
import { YEAR_END, YEAR_START, type NodePlan } from './year-plan.js';

/** A time span, Unix microseconds. */
interface TimeSpan {
  readonly from: bigint;
  readonly to: bigint;
}

/** A node with the times in which its list was complete, and its gaps. Unix microseconds. */
export interface WatchedNode {
  readonly nodeKey: number;
  readonly id: string;
  /** Empty: not reported. */
  readonly chain: string;
  readonly covered: readonly TimeSpan[];
  /** The first contact. */
  readonly firstUs: bigint | undefined;
  /** The list that it shows; several nodes may show the same list. */
  readonly list: string;
  /** Times from the first contact, except those in which it says that it is not an aggregator. */
  readonly posts: readonly TimeSpan[];
  readonly holes: readonly (TimeSpan & { readonly minLost: bigint; readonly likelyLost: bigint | null })[];
}

type Raw = Record<string, string | null>;

/** A moment beyond all queries, Unix milliseconds. */
const BEYOND = 2 * YEAR_END - YEAR_START;

export async function loadWatchedNodes(dataSource: DataSource, year: GeneratedYear): Promise<WatchedNode[]> {
  const plans = new Map(year.chains.flatMap(({ plan }) => plan.nodes).map((node) => [node.id, node]));
  const nodes = await dataSource.query<{ node_key: number; id: string; chain: string }[]>(
    `SELECT node_key, id, coalesce(chain_id, '') AS chain FROM node ORDER BY node_key`,
  );
  const us = (name: string): string => `(extract(epoch FROM ${name}) * 1000000)::bigint`;
  const covered = await dataSource.query<Raw[]>(
    `SELECT node, ${us('from_at')} AS from_us, ${us('to_at')} AS to_us FROM coverage_interval WHERE kind = 'LIST'`,
  );
  const firsts = await dataSource.query<{ node: string; us: bigint }[]>(
    `SELECT node, ${us('min(from_at)')} AS us FROM coverage_interval GROUP BY node`,
  );
  const holes = await dataSource.query<(Raw & { node_key: number })[]>(
    `SELECT node_key, ${us('from_at')} AS from_us, ${us('to_at')} AS to_us, min_lost, likely_lost
       FROM loss WHERE to_position IS NULL AND kind <> 'BEFORE_START'`,
  );
  return nodes.map(({ node_key: nodeKey, id, chain }) => ({
    nodeKey,
    id,
    chain,
    list: plans.get(id)?.ring ?? id,
    posts: postingTimes(plans.get(id)),
    firstUs: firsts.find(({ node }) => node === id)?.us,
    covered: covered.filter((row) => row['node'] === id).map((row) => spanOf(row)),
    holes: holes
      .filter((row) => row.node_key === nodeKey)
      .map((row) => ({
        ...spanOf(row),
        minLost: BigInt(row['min_lost'] ?? 0),
        likelyLost: row['likely_lost'] === null ? null : BigInt(row['likely_lost'] ?? 0),
      })),
  }));
}

/** The posting times of the plan, whose absences are in chronological order. */
function postingTimes(plan: NodePlan | undefined): TimeSpan[] {
  if (!plan) return [];
  const { from, leadsFrom, leadsTo, absences } = plan;
  const follows = [
    { from, to: leadsFrom },
    ...absences.filter(({ kind }) => kind === 'NOT_AGGREGATOR'),
    { from: leadsTo, to: BEYOND },
  ];
  const starts = [from, ...follows.map(({ to }) => to)];
  const ends = [...follows.map((each) => each.from), BEYOND];
  const us = (ms: number): bigint => BigInt(Math.min(ms, BEYOND)) * 1000n;
  return starts.map((start, index) => ({ from: us(start), to: us(ends[index] ?? BEYOND) }));
}

function spanOf(row: Raw): TimeSpan {
  return { from: BigInt(row['from_us'] ?? 0), to: BigInt(row['to_us'] ?? 0) };
}

/** The share of a time in which a node was covered, or all lists of a chain with posts. */
export function coveredShare(nodes: readonly WatchedNode[], from: bigint, to: bigint): number {
  const isCovered = nodes.length === 1 ? hasAllOf(nodes) : hasAllPosted(nodes);
  return shareOf(nodes, { from, to }, isCovered);
}

/** The share of a time in which a condition holds, by checking each interval between changes. */
function shareOf(
  nodes: readonly WatchedNode[],
  { from, to }: TimeSpan,
  isCovered: (us: bigint) => boolean,
): number {
  if (from >= to) return 0;
  const spans = nodes.flatMap(({ covered, posts }) => [...covered, ...posts]);
  const inside = spans.flatMap((span) => [span.from, span.to]).filter((us) => us > from && us < to);
  const moments = [...new Set([from, ...inside, to])].sort((a, b) => (a < b ? -1 : 1));
  let covered = 0n;
  for (const [index, start] of moments.slice(0, -1).entries()) {
    if (isCovered(start)) covered += (moments[index + 1] ?? start) - start;
  }
  return Number(covered) / Number(to - from);
}

/** Whether any of these nodes, which show the same list, was covered at a moment. */
function hasAllOf(nodes: readonly WatchedNode[]): (us: bigint) => boolean {
  return (us) => nodes.some(({ covered }) => liesIn(covered, us));
}

/**
 * Whether every list of a chain whose nodes posted at a moment was covered. If no node posted, nothing is known about the chain.
 */
function hasAllPosted(nodes: readonly WatchedNode[]): (us: bigint) => boolean {
  return (us) => {
    const posting = new Set(nodes.filter(({ posts }) => liesIn(posts, us)).map(({ list }) => list));
    const isSeen = (list: string): boolean => hasAllOf(nodes.filter((node) => node.list === list))(us);
    return posting.size > 0 && [...posting].every(isSeen);
  };
}

function liesIn(spans: readonly TimeSpan[], us: bigint): boolean {
  return spans.some(({ from, to }) => from <= us && to > us);
}

/** Gaps found in a time; a gap that other nodes of the same list cover completely costs nothing. */
export function lossFigures(nodes: readonly WatchedNode[], from: bigint, to: bigint): Figures {
  let [holes, minLost, likelyLost] = [0, 0n, 0n];
  for (const node of nodes) {
    const others = nodes.filter((other) => other !== node && other.list === node.list);
    for (const hole of node.holes) {
      if (hole.to < from || hole.to >= to || shareOf(others, hole, hasAllOf(others)) === 1) continue;
      holes += 1;
      minLost += hole.minLost;
      likelyLost +=
        hole.likelyLost !== null && hole.likelyLost > hole.minLost ? hole.likelyLost : hole.minLost;
    }
  }
  return { holes, provenLost: String(minLost), likelyLost: String(likelyLost) };
}
