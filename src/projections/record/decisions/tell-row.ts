import { kindCodeOf } from '../../../domain/submissions/submission-codes.js';
import type { ToldOfRows } from '../facts/facts.js';
import { decide, takeBack, type Row } from './row.js';

export const UNKNOWN = kindCodeOf('UNKNOWN');

/**
 * Tells a row what an event says of it.
 *
 * @param chainOf of each history
 * @returns whether it changed
 */
export function tellRow(
  row: Row,
  { namespaces, history, chain }: ToldOfRows,
  position: bigint,
  chainOf: ReadonlyMap<number, string>,
): boolean {
  let isChanged = false;
  if (chain && row.toldLineageKey === null && row.fromPosition >= chain.since) {
    isChanged = decide(row, position, { chainId: chain.name, lineageKey: null });
    if (row.status !== 0 && row.daHeight !== null) takeBack(row, position);
  }
  if (history !== undefined && row.toldLineageKey === null && row.chainId === chainOf.get(history)) {
    row.toldLineageKey = history;
    isChanged = true;
    if (row.lineageKey === null) decide(row, position, { lineageKey: history });
  }
  if (namespaces && row.kind === UNKNOWN && row.namespaceKey !== null) {
    const isHeader = row.namespaceKey === namespaces.header;
    const isData = row.namespaceKey === namespaces.data;
    const kind = isHeader && isData ? 'MIXED' : isHeader ? 'HEADER' : isData ? 'DATA' : 'UNKNOWN';
    isChanged = decide(row, position, { kind: kindCodeOf(kind) }) || isChanged;
  }
  return isChanged;
}
