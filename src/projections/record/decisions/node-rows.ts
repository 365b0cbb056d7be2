import { kindCodeOf } from '../../../domain/submissions/submission-codes.js';
import type { TurnKind } from '../../../tables/record/decision-turn.entity.js';
import type { Query } from '../../projection.js';
import type { RecordFact } from '../facts/facts.js';
import type { RecordMemory } from '../memory.js';
import { decide, takeBack } from './decide.js';
import { SELECT_ROW, type Row, type Rows } from './row.js';

const UNKNOWN = kindCodeOf('UNKNOWN');

/** An event's news about earlier rows of its node: their kinds, their history or their chain. */
export type ToldOfRows =
  | { readonly what: 'KINDS'; readonly headerNamespace: number | null; readonly dataNamespace: number | null }
  | { readonly what: 'HISTORY'; readonly to: number }
  | {
      readonly what: 'CHAIN';
      readonly chain: string | null;
      readonly since: bigint;
      readonly before: string | null;
    };

/** A fact's news about earlier rows; undefined where it has none. */
export function toldOfRows(fact: RecordFact): ToldOfRows | undefined {
  if (fact.type === 'described') {
    const { headerNamespace, dataNamespace } = fact;
    return { what: 'KINDS', headerNamespace, dataNamespace };
  }
  if (fact.type === 'joined') return { what: 'HISTORY', to: fact.to };
  if (fact.type !== 'chain' || !fact.renamed) return undefined;
  return { what: 'CHAIN', chain: fact.chainId, ...fact.renamed };
}

/** Which rows are told. */
interface RowsTold {
  readonly nodeKey: number;
  /** Of the event: they were recorded before it. */
  readonly position: bigint;
  /** The first sequence. */
  readonly from: bigint;
  /** Rows at most. */
  readonly limit: number;
}

/** The rows that it may be told of, by sequence. */
export async function getRowsTold(
  told: ToldOfRows,
  { nodeKey, position, from, limit }: RowsTold,
  rows: Rows,
  query: Query,
): Promise<Row[]> {
  const [condition, parameters] = conditionOf(told);
  const found = await query<Row>(
    `SELECT ${SELECT_ROW} FROM submission s
      WHERE s.node_key = $1 AND s.sequence >= $2 AND s.from_position < $4 AND ${condition}
      ORDER BY s.sequence LIMIT $3`,
    [nodeKey, from, limit, position, ...parameters],
  );
  return found.map((row) => rows.identify(row));
}

/** Tells a row. @returns DA heights of chains at which it stood before; undefined: nothing changed */
export function tellRow(
  row: Row,
  told: ToldOfRows,
  position: bigint,
  { chainOf }: Pick<RecordMemory, 'chainOf'>,
): { readonly chain: string; readonly daHeight: bigint }[] | undefined {
  switch (told.what) {
    case 'KINDS': {
      const isHeader = row.namespaceKey === told.headerNamespace;
      const isData = row.namespaceKey === told.dataNamespace;
      const kind = kindCodeOf(isHeader && isData ? 'MIXED' : isHeader ? 'HEADER' : 'DATA');
      return row.kind === UNKNOWN && decide(row, position, { kind }) ? [] : undefined;
    }
    case 'HISTORY':
      if (row.toldLineageKey !== null || row.chainId !== chainOf.get(told.to)) return undefined;
      row.toldLineageKey = told.to;
      if (row.lineageKey === null) decide(row, position, { lineageKey: told.to });
      return [];
    case 'CHAIN': {
      const { daHeight } = row;
      decide(row, position, { chainId: told.chain, lineageKey: null });
      if (row.status !== 0 && daHeight !== null) takeBack(row, position);
      return told.before === null || daHeight === null ? [] : [{ chain: told.before, daHeight }];
    }
    default:
      return told satisfies never;
  }
}

function conditionOf(told: ToldOfRows): [string, readonly unknown[]] {
  const conditions: Record<Exclude<TurnKind, 'CELLS'>, string> = {
    KINDS: `s.kind = ${UNKNOWN} AND s.namespace_key = ANY ($5::int[])`,
    HISTORY: 's.told_lineage_key IS NULL',
    CHAIN: 's.told_lineage_key IS NULL AND s.from_position >= $5',
  };
  if (told.what === 'KINDS') return [conditions.KINDS, [[told.headerNamespace, told.dataNamespace]]];
  return [conditions[told.what], told.what === 'CHAIN' ? [told.since] : []];
}
