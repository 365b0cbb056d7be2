import { BLOB_KINDS } from '../../../domain/evidence/decide-cell.js';
import type { BlobKind } from '../../../domain/evidence/inclusion-walk.js';
import { columnsFor, selectList, type UnnestedRows } from '../../../platform/rows/row-columns.js';
import { SubmissionEntity } from '../../../tables/record.entities.js';
import type { Query } from '../../projection.js';
import { groupName, type Cell, type Cells, type UnexplainedGroup } from '../decisions/cell.js';
import type { Row, Rows } from '../decisions/row.js';
import type { ShownBlob } from '../facts/walks.js';
import type { RecordMemory } from '../memory.js';
import { SELECT_ROW } from './stored-rows.js';

interface CellParts extends Pick<RecordMemory, 'chainOf' | 'lineagesOf' | 'highest' | 'walks'> {
  readonly cells: Cells;
  readonly rows: Rows;
}

const KEY = columnsFor({ chain: 'text', lineageKey: 'int4', daHeight: 'int8' });

/** Loads the stored parts of cells; call it once per cell. `OFFSET 0` makes the database look up each cell by itself. */
export async function loadCells(wanted: ReadonlySet<Cell>, parts: CellParts, query: Query): Promise<void> {
  const keys = [...wanted].flatMap(({ chain, daHeight }) => {
    if (daHeight > parts.highest.of(chain)) return [];
    // Null finds the rows whose lineage is not known.
    return [null, ...(parts.lineagesOf.get(chain) ?? [])].map((lineageKey) => ({
      chain,
      lineageKey,
      daHeight,
    }));
  });
  if (keys.length === 0) return;
  const list = KEY.unnest(keys, 'w');
  const lineages = new Set(keys.flatMap(({ lineageKey }) => lineageKey ?? []));
  const nodeKeys = [...lineages].flatMap((key) => parts.walks.ofLineage(key).map(({ nodeKey }) => nodeKey));
  await loadRows(list, [...new Set(nodeKeys)], parts, query);
  await loadBlobs(list, parts, query);
}

async function loadRows(
  wanted: UnnestedRows,
  nodeKeys: readonly number[],
  { cells, rows: held }: CellParts,
  query: Query,
): Promise<void> {
  const rows = await query<Row & UnexplainedGroup & { chain: string }>(
    `SELECT w.chain, ${SELECT_ROW}, ${selectList(SubmissionEntity, 's', ['lossPosition', 'possible'])}
       FROM ${wanted.sql}
      CROSS JOIN LATERAL (
        (SELECT * FROM submission
          WHERE lineage_key = w.lineage_key AND da_height = w.da_height AND to_position IS NULL OFFSET 0)
        UNION ALL
        (SELECT * FROM submission
          WHERE w.lineage_key IS NULL AND lineage_key IS NULL AND da_height = w.da_height AND status = 0
            AND (chain_id = w.chain OR chain_id IS NULL AND node_key = ANY ($${wanted.parameters.length + 1}::int[])) OFFSET 0)) s`,
    [...wanted.parameters, nodeKeys],
  );
  for (const { chain, ...row } of rows) {
    const cell = cells.get(chain, row.daHeight ?? 0n);
    if (row.nodeKey !== null) cell.addRow(held.identify(row));
    else cell.groups.set(groupName(row.lineageKey ?? 0, BLOB_KINDS[row.kind] ?? 'HEADER'), row);
  }
}

async function loadBlobs(wanted: UnnestedRows, { cells, chainOf }: CellParts, query: Query): Promise<void> {
  const select = (kind: BlobKind, name: string, condition: string) => `
    SELECT w.lineage_key AS "lineageKey", w.da_height AS "daHeight", '${kind}' AS kind, b.height,
           b.time_ns AS "timeNs", b.${name}_blob_bytes AS bytes,
           coalesce(b.${name}_included_position, b.from_position) AS position
      FROM w CROSS JOIN LATERAL (
        SELECT * FROM block
         WHERE lineage_key = w.lineage_key AND ${name}_da_height = w.da_height${condition} OFFSET 0) b`;
  const rows = await query<ShownBlob & { lineageKey: number; daHeight: bigint; kind: BlobKind }>(
    `WITH w AS (SELECT * FROM ${wanted.sql})
     ${select('HEADER', 'header', '')} UNION ALL ${select('DATA', 'data', ' AND tx_count > 0')}`,
    wanted.parameters,
  );
  for (const { lineageKey, daHeight, kind, ...blob } of rows) {
    cells.get(chainOf.get(lineageKey) ?? '', daHeight).addBlob(lineageKey, kind, blob);
  }
}
