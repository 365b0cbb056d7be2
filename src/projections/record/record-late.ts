import { isUncertain } from '../../domain/evidence/uncertain-attempt.js';
import {
  evidenceCodeOf,
  kindCodeOf,
  SUBMISSION_STATUSES,
} from '../../domain/submissions/submission-codes.js';
import type { Micros } from '../../domain/time.js';
import { columnsOf, selectList } from '../../platform/rows/row-columns.js';
import type { RecordMarkEntity } from '../../tables/record/record-mark.entity.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import type { Query } from '../projection.js';
import type { CellKey } from './record-cell-table.js';
import type { ChainViews } from './record-chains.js';
import type { EvidenceParts } from './record-evidence-batch.js';
import type { RecordFact } from './record-facts.js';

/** A row that does not tell where it landed, as far as it matters for what it may be. */
type Heightless = Pick<SubmissionEntity, (typeof HEIGHTLESS)[number]>;

/** How long after blocks have shown what an attempt posted its outcome can be told at most. */
const LONGEST_ATTEMPT_US: Micros = 600_000_000n;
const RECONSTRUCTED = evidenceCodeOf('RECONSTRUCTED');
const HEADER = kindCodeOf('HEADER');
const DATA = kindCodeOf('DATA');
const ASKED_COLUMNS = columnsOf(SubmissionEntity, 'nodeKey', 'lineageKey', 'kind', 'observedAt');
const HEIGHTLESS = ['status', 'daHeight', 'blobCount', 'message', 'kind', 'wildTime', 'timeAt'] as const;

/** Whether a row may have landed without telling where. */
export function isHeightless({ status, daHeight, blobCount, message }: Heightless): boolean {
  if (daHeight !== null || blobCount === 0) return false;
  return status === 0 || isUncertain(SUBMISSION_STATUSES[status] ?? 'OTHER', message);
}

/** The latest that a row can tell of by its node's clock which blocks had shown by then, observer's clock. */
export function latestTimeOf(views: ChainViews, nodeKey: number, shownAt: Micros): Micros {
  return shownAt + views.get(nodeKey).clockOffset + LONGEST_ATTEMPT_US;
}

/** Cells of what was reconstructed and may be one of the rows that these facts record. */
export async function findLate(
  facts: readonly RecordFact[],
  { views, lineagesOf }: EvidenceParts,
  chainsOf: (nodeKey: number) => readonly string[],
  limit: number,
  query: Query,
): Promise<CellKey[]> {
  const asked = facts.flatMap((fact) => {
    const rows = fact.type === 'rows' ? fact.rows.filter(isHeightless) : [];
    if (rows.length === 0) return [];
    const { nodeKey } = fact;
    // As of each event the clock may have been another one.
    const offsets = [
      views.get(nodeKey).clockOffset,
      ...facts.flatMap((f) => (f.type === 'clock' && f.nodeKey === nodeKey ? [f.offset] : [])),
    ];
    const clockOffset = offsets.reduce((most, offset) => (offset > most ? offset : most));
    const lineages = chainsOf(nodeKey).flatMap((chainId) => lineagesOf.get(chainId) ?? []);
    return askedOf(rows, { nodeKey, clockOffset, lineages });
  });
  const [first] = facts;
  return asked.length === 0 || !first ? [] : findStanding(asked, { ...first, from: 0n, limit }, query);
}

/** The next DA heights of such cells of a lineage, for a page: of the rows that the mark's event recorded. */
export async function findLateOfMark(
  { nodeKey, lineageKey, position, nextNumber }: Readonly<RecordMarkEntity>,
  { views }: EvidenceParts,
  limit: number,
  query: Query,
): Promise<bigint[]> {
  const rows = await query<Heightless>(
    `SELECT ${selectList(SubmissionEntity, 's', HEIGHTLESS)} FROM submission s WHERE s.from_position = $1 AND s.node_key = $2`,
    [position, nodeKey],
  );
  const { clockOffset } = views.get(nodeKey);
  const asked = askedOf(rows.filter(isHeightless), { nodeKey, clockOffset, lineages: [lineageKey ?? 0] });
  const keys =
    asked.length === 0 ? [] : await findStanding(asked, { position, from: nextNumber, limit }, query);
  return keys.map(({ daHeight }) => daHeight);
}

type Asked = Pick<SubmissionEntity, 'lineageKey' | 'kind' | 'observedAt'> & { readonly nodeKey: number };

/** By kind and lineage the time since when what the rows may be was shown. */
function askedOf(
  rows: readonly Heightless[],
  of: {
    readonly nodeKey: number;
    readonly clockOffset: Micros;
    readonly lineages: readonly number[];
  },
): Asked[] {
  return [HEADER, DATA].flatMap((kind) => {
    const alike = rows.filter((row) => row.kind === kind || (row.kind !== HEADER && row.kind !== DATA));
    if (alike.length === 0) return [];
    const times = alike.map(({ wildTime, timeAt }) =>
      wildTime ? 0n : timeAt - of.clockOffset - LONGEST_ATTEMPT_US,
    );
    const observedAt = times.reduce((first, time) => (time < first ? time : first));
    return of.lineages.map((lineageKey) => ({ nodeKey: of.nodeKey, lineageKey, kind, observedAt }));
  });
}

/** What stands reconstructed at, or above, the highest DA height that the node's list had told of the kind before an event. */
function findStanding(
  asked: readonly Asked[],
  { position, from, limit }: { readonly position: bigint; readonly from: bigint; readonly limit: number },
  query: Query,
): Promise<CellKey[]> {
  const list = ASKED_COLUMNS.unnest(asked, 'w', 4);
  return query<CellKey>(
    `SELECT DISTINCT s.lineage_key AS "lineageKey", s.da_height AS "daHeight"
       FROM ${list.sql}
       LEFT JOIN LATERAL (SELECT o.da_height FROM submission o
                           WHERE o.node_key = w.node_key AND o.lineage_key = w.lineage_key AND o.kind = w.kind
                             AND o.status = 0 AND o.da_height IS NOT NULL AND o.node_key IS NOT NULL
                             AND o.from_position < $3
                           ORDER BY o.da_height DESC LIMIT 1) told ON true
       JOIN submission s ON s.lineage_key = w.lineage_key AND s.kind = w.kind AND s.observed_at >= w.observed_at
                        AND s.da_height >= greatest($1, told.da_height)
      WHERE s.evidence = ${RECONSTRUCTED} AND s.to_position IS NULL
      ORDER BY s.da_height, s.lineage_key LIMIT $2`,
    [from, limit, position, ...list.parameters],
  );
}
