import type { BlobKind } from '../../../domain/evidence/inclusion-walk.js';
import { MOST_POSSIBLE } from '../../../domain/evidence/explain-group.js';
import { columnsFor, selectList } from '../../../platform/rows/row-columns.js';
import { BracketEntity } from '../../../tables/record.entities.js';
import type { Query } from '../../projection.js';
import { KIND_CODES } from '../decisions/cell.js';
import type { GroupQuestion, LoadedBracket, PossibleRows } from '../decisions/possible-rows.js';
import type { Row, Rows } from '../decisions/row.js';
import { SELECT_ROW } from './stored-rows.js';

const PLACE = columnsFor({ n: 'int4', nodeKey: 'int4', kind: 'int2', daHeight: 'int8', position: 'int8' });
/**
 * SQL: the brackets of the nodes of `w` in which a list switches to another chain, or to none, and the position of the switch.
 * The DA heights of one chain's posts do not bound those of another chain, so such a bracket has no bounds.
 */
const MIXED = `
  SELECT b.node_key, b.kind, b.after_sequence, t.position
    FROM (SELECT node_key, from_position AS position, after_sequence, chain_id, lag(chain_id) OVER along AS before, row_number() OVER along AS n
            FROM node_list WHERE node_key IN (SELECT node_key FROM w) WINDOW along AS (PARTITION BY node_key ORDER BY from_position)) t
   CROSS JOIN (VALUES (0), (1)) k (kind) CROSS JOIN LATERAL (
         SELECT * FROM bracket WHERE node_key = t.node_key AND kind = k.kind AND after_sequence <= t.after_sequence
          ORDER BY after_sequence DESC LIMIT 1) b
   WHERE t.n > 1 AND t.chain_id IS DISTINCT FROM t.before AND (b.closed_position IS NULL OR b.closed_position >= t.position)`;
/** SQL: the chain of the list that showed the gap of a bracket `b`. */
const LOSS_CHAIN = `(SELECT chain_id FROM node_list WHERE node_key = b.node_key AND from_position <= b.loss_position
   ORDER BY from_position DESC LIMIT 1) AS "lossChain"`;
const LIST = columnsFor({
  n: 'int4',
  nodeKey: 'int4',
  kind: 'int2',
  afterSequence: 'int8',
  blobCount: 'int4',
  large: 'int8',
  small: 'int8',
});

interface PossibleParts {
  readonly possible: PossibleRows;
  readonly rows: Rows;
  /** Keys of the nodes whose lists may show a chain's posts. */
  readonly nodesOf: (chain: string) => readonly number[];
}

/** Loads the rows that may be these groups, once per batch or time slice. @param asked in the order of the log */
export async function loadPossible(
  asked: readonly GroupQuestion[],
  parts: PossibleParts,
  query: Query,
): Promise<void> {
  const [first] = asked;
  if (!first) return;
  await loadBrackets(asked, first.position, parts, query);
  await loadRows(asked, parts, query);
}

/** @param position of the first group: brackets that were open at that position are needed, too */
async function loadBrackets(
  asked: readonly GroupQuestion[],
  position: bigint,
  { possible, nodesOf }: PossibleParts,
  query: Query,
): Promise<void> {
  const found: LoadedBracket[][] = [];
  const places = asked.flatMap((group) => {
    const brackets = possible.newBrackets(group);
    if (!brackets) return [];
    const n = found.push(brackets) - 1;
    const { chain, kind, daHeight, position: at } = group;
    return nodesOf(chain).map((nodeKey) => ({ n, nodeKey, kind: KIND_CODES[kind], daHeight, position: at }));
  });
  if (places.length === 0) return;
  const list = PLACE.unnest(places, 'w');
  const columns = `${LOSS_CHAIN}, ${selectList(BracketEntity, 'b')}`;
  const brackets = await query<LoadedBracket & { n: number; isMixed: boolean }>(
    `WITH w AS (SELECT * FROM ${list.sql}), mixed AS (${MIXED})
     SELECT w.n, false AS "isMixed", ${columns} FROM w JOIN bracket b ON b.node_key = w.node_key AND b.kind = w.kind
        AND (b.da_from IS NULL OR b.da_from <= w.da_height) AND (b.da_to IS NULL OR b.da_to >= w.da_height OR b.closed_position > ${position})
      WHERE NOT EXISTS (SELECT FROM mixed m WHERE m.node_key = b.node_key AND m.kind = b.kind
                           AND m.after_sequence = b.after_sequence AND m.position <= w.position)
     UNION ALL
     SELECT DISTINCT w.n, true, ${columns} FROM w JOIN mixed m ON m.node_key = w.node_key AND m.kind = w.kind AND m.position <= w.position
       JOIN bracket b ON b.node_key = m.node_key AND b.kind = m.kind AND b.after_sequence = m.after_sequence`,
    list.parameters,
  );
  for (const { n, isMixed, ...bracket } of brackets)
    found[n]?.push(isMixed ? { ...bracket, daFrom: null, daTo: null } : bracket);
}

async function loadRows(
  asked: readonly GroupQuestion[],
  { possible, rows: held }: PossibleParts,
  query: Query,
): Promise<void> {
  const found: Row[][] = [];
  const lists = asked.flatMap((group) => {
    const { blobCount, sizes } = group;
    const [large, small] = [sizes?.[0] ?? null, sizes?.at(-1) ?? null];
    return possible.bracketsOf(group).flatMap((bracket) => {
      const rows = possible.newRows(bracket, group);
      if (!rows) return [];
      const { nodeKey, kind, afterSequence } = bracket;
      return [{ n: found.push(rows) - 1, nodeKey, kind, afterSequence, blobCount, large, small }];
    });
  });
  if (lists.length === 0) return;
  const list = LIST.unnest(lists, 'w');
  const select = (after: string, kind: BlobKind) => `
    SELECT w.n, ${SELECT_ROW} FROM w CROSS JOIN LATERAL (
       SELECT * FROM submission
        WHERE node_key = w.node_key AND ${after} = w.after_sequence AND ${after} IS NOT NULL
          AND (blob_count IS NULL OR blob_count = w.blob_count OR status = 0 AND blob_count < w.blob_count)
          AND (size_bytes IS NULL OR w.large IS NULL OR size_bytes IN (w.large, w.small) OR status = 0 AND size_bytes < w.large)
        ORDER BY sequence LIMIT ${MOST_POSSIBLE + 1}) s
     WHERE w.kind = ${KIND_CODES[kind]}`;
  const rows = await query<Row & { n: number }>(
    `WITH w AS (SELECT * FROM ${list.sql})
     ${select('header_after', 'HEADER')} UNION ALL ${select('data_after', 'DATA')}`,
    list.parameters,
  );
  for (const { n, ...row } of rows) found[n]?.push(held.identify(row));
}
