import type { DataSource } from 'typeorm';
import type { Figures } from './truth-figures.js';

/** A node with the times in which nothing of its list was missed, and the holes. Unix microseconds. */
export interface WatchedNode {
  readonly nodeKey: number;
  readonly id: string;
  /** Empty: it has not said. */
  readonly chain: string;
  readonly covered: readonly { readonly from: bigint; readonly to: bigint }[];
  readonly holes: readonly {
    readonly from: bigint;
    readonly to: bigint;
    readonly minLost: bigint;
    readonly likelyLost: bigint | null;
  }[];
}

type Raw = Record<string, string | null>;

export async function loadWatchedNodes(dataSource: DataSource): Promise<WatchedNode[]> {
  const nodes = await dataSource.query<{ node_key: number; id: string; chain: string }[]>(
    `SELECT node_key, id, coalesce(chain_id, '') AS chain FROM node ORDER BY node_key`,
  );
  const us = (name: string): string => `(extract(epoch FROM ${name}) * 1000000)::bigint`;
  const covered = await dataSource.query<Raw[]>(
    `SELECT node, ${us('from_at')} AS from_us, ${us('to_at')} AS to_us FROM coverage_interval`,
  );
  const holes = await dataSource.query<(Raw & { node_key: number })[]>(
    `SELECT node_key, ${us('from_at')} AS from_us, ${us('to_at')} AS to_us, min_lost, likely_lost
       FROM loss WHERE to_position IS NULL AND kind <> 'BEFORE_START'`,
  );
  return nodes.map(({ node_key: nodeKey, id, chain }) => ({
    nodeKey,
    id,
    chain,
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

function spanOf(row: Raw): { from: bigint; to: bigint } {
  return { from: BigInt(row['from_us'] ?? 0), to: BigInt(row['to_us'] ?? 0) };
}

/** Share of a time in which any of the nodes was covered, by asking at each moment in between anything changes. */
export function coveredShare(nodes: readonly WatchedNode[], from: bigint, to: bigint): number {
  if (from >= to) return 0;
  const spans = nodes.flatMap(({ covered }) => covered);
  const inside = spans.flatMap((span) => [span.from, span.to]).filter((us) => us > from && us < to);
  const moments = [...new Set([from, ...inside, to])].sort((a, b) => (a < b ? -1 : 1));
  let covered = 0n;
  for (const [index, start] of moments.slice(0, -1).entries()) {
    const isCovered = spans.some((span) => span.from <= start && span.to > start);
    if (isCovered) covered += (moments[index + 1] ?? start) - start;
  }
  return Number(covered) / Number(to - from);
}

/** Holes found in a time; one that the other nodes cover whole has cost nothing. */
export function lossFigures(nodes: readonly WatchedNode[], from: bigint, to: bigint): Figures {
  let [holes, minLost, likelyLost] = [0, 0n, 0n];
  for (const node of nodes) {
    const others = nodes.filter((other) => other !== node);
    for (const hole of node.holes) {
      if (hole.to < from || hole.to >= to || coveredShare(others, hole.from, hole.to) === 1) continue;
      holes += 1;
      minLost += hole.minLost;
      likelyLost +=
        hole.likelyLost !== null && hole.likelyLost > hole.minLost ? hole.likelyLost : hole.minLost;
    }
  }
  return { holes, provenLost: String(minLost), likelyLost: String(likelyLost) };
}
