import type { DataSource } from 'typeorm';
import type { StretchKind } from '../../src/domain/coverage/list-coverage.js';
import { onConnection } from '../../src/platform/sql.js';
import { insertRows } from '../../src/platform/rows/write-rows.js';
import { CoverageIntervalEntity } from '../../src/tables/health.entities.js';

/** A stretch of a list, Unix microseconds: proven from `from` to `to`, unproven from there to `until`. */
export interface ToldStretch {
  readonly node: string;
  readonly kind: StretchKind;
  /** Lists of several nodes with the same ring are one list. */
  readonly ring: string;
  readonly from: bigint;
  readonly to: bigint;
  /** Null: not ended. */
  readonly until: bigint | null;
}

/** Writes stretches, numbered by node in their order. */
export async function writeStretches(
  dataSource: DataSource,
  stretches: readonly ToldStretch[],
): Promise<void> {
  const counts = new Map<string, number>();
  const rows = stretches.map(({ node, kind, ring, from: fromAt, to: toAt, until: untilAt }) => {
    const number = counts.get(node) ?? 0;
    counts.set(node, number + 1);
    const list = kind === 'LIST' ? 0 : null;
    return { node, number, kind, list, ring, fromAt, toAt, untilAt, unstated: false, afterSequence: 0n };
  });
  await onConnection(dataSource, (query) => insertRows(query, CoverageIntervalEntity, rows));
}

/**
 * Random stretches of a node, with its own lists: one after the other, some as one list, some while the node was not an
 * aggregator.
 */
export function randomStretches(node: string, start: bigint, random: () => number): ToldStretch[] {
  const lists = 1 + Math.floor(random() * 2);
  const isRetired = random() < 0.3;
  return Array.from({ length: lists }, (_, list) => {
    const stretches: ToldStretch[] = [];
    let end = start + BigInt(Math.floor(random() * 1e11));
    for (let index = 0; index < 40; index++) {
      const from = end + BigInt(Math.floor(random() ** 4 * 4e10));
      const to = from + BigInt(Math.floor(random() ** 3 * 9e10));
      end = to + BigInt(Math.floor(random() ** 6 * 3e10));
      const isLast = index === 39;
      const isAway = lists === 1 && random() < 0.1;
      stretches.push({
        node,
        kind: isAway ? 'NOT_AGGREGATOR' : 'LIST',
        ring: isAway ? `${node}/-` : `${node}/${list}`,
        from,
        to,
        until: isLast && !isRetired ? null : end,
      });
    }
    return stretches;
  }).flat();
}

/** A time in which the reports about a unit do not change, with these reports. */
export interface PlainPart {
  readonly from: bigint;
  readonly to: bigint;
  readonly isCovered: boolean;
  /** The nodes whose list is not proven in this time. */
  readonly unproven: readonly string[];
}

/** The reports about nodes that form one unit, found separately for each time between two edges. */
export function plainParts(
  stretches: readonly ToldStretch[],
  nodes: readonly string[],
  more: readonly bigint[] = [],
): PlainPart[] {
  const ofNodes = stretches.filter(({ node }) => nodes.includes(node));
  const edges = ofNodes.flatMap(({ from, to, until }) => (until === null ? [from, to] : [from, to, until]));
  const moments = [...new Set([...edges, ...more])].sort((a, b) => (a < b ? -1 : 1));
  return moments.slice(0, -1).map((from, index) => {
    const to = moments[index + 1] ?? from;
    const proven = ofNodes.filter((each) => each.from <= from && each.to >= to);
    const unproven = ofNodes.filter(
      (each) =>
        each.to <= from &&
        (each.until === null || each.until >= to) &&
        !proven.some(({ ring }) => ring === each.ring),
    );
    return {
      from,
      to,
      isCovered: unproven.length === 0 && proven.some(({ kind }) => kind === 'LIST'),
      unproven: unproven.map(({ node }) => node),
    };
  });
}
