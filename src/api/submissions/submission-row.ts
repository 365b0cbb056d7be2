import { selectList } from '../../platform/rows/row-columns.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import { columnsOfFields, type Selected } from '../graphql/selected-fields.js';
import { joinLists } from '../graphql/sql-text.js';
import { changedAt, type ChangedRow } from '../graphql/updated-rows.js';

/** What is looked up in the log. */
const SENT = ['fromPosition', 'sequence'] as const;
const NAMED = ['sequence', 'chainId', 'kind', 'daHeight'] as const;
const BATCH = ['nodeKey', 'sequence', 'namespaceKey'] as const;

/** The columns that a field is made of, or that it is looked up by. Of the names of node and namespace see below. */
const MADE_OF = {
  /** Its place in both orders. */
  cursor: ['sequence', 'lineageKey', 'kind', 'daHeight', 'fromPosition', 'timeAt'],
  id: NAMED,
  versionId: NAMED,
  chain: ['chainId'],
  node: ['nodeKey'],
  time: ['timeAt'],
  sequence: ['sequence'],
  ring: ['ring'],
  status: ['status'],
  statusText: SENT,
  message: ['message'],
  kind: ['kind'],
  daHeight: ['daHeight'],
  blobCount: ['blobCount'],
  blobIds: SENT,
  sizeBytes: ['sizeBytes'],
  gasPrice: ['gasPrice'],
  occurredAt: ['occurredAt'],
  occurredAtText: SENT,
  observedAt: ['observedAt'],
  evidence: ['evidence'],
  possibleAttempts: ['possible'],
  countsForChain: ['countsForChain'],
  blocks: [...NAMED, 'nodeKey', 'lineageKey', 'evidence', 'blockFrom', 'blockTo', 'blobCount'],
  cost: [...NAMED, 'nodeKey', 'lineageKey', 'timeAt'],
  cause: ['status', 'message'],
  attemptsBefore: BATCH,
  attemptsAfter: BATCH,
  previous: BATCH,
  next: BATCH,
  healthThen: ['timeAt'],
  claimThen: ['timeAt'],
  raw: SENT,
  updatedAt: ['change'],
  withdrawn: ['toPosition'],
} as const satisfies Readonly<Record<string, readonly (keyof SubmissionEntity)[]>>;
type Column = (typeof MADE_OF)[keyof typeof MADE_OF][number];

/** A row as {@link selectSubmissions} reads it. A column that no selected field is made of is missing. */
export interface SubmissionRow extends Pick<SubmissionEntity, Column>, ChangedRow {
  readonly node: string | null;
  readonly namespace: string | null;
  /** Of the lineage; null of a row that has a node. */
  readonly n: number | null;
}

/**
 * Names of the rows of a page; they are looked up for its rows alone.
 *
 * @param selected of the fields of a submission; `cursor` stands for its place
 */
export function selectSubmissions(page: string, orderBy: string, selected: Selected = 'ALL'): string {
  const columns = columnsOfFields<Column>(selected, MADE_OF);
  return `
    SELECT ${joinLists(
      selectList(SubmissionEntity, 's', [...columns]),
      `n.id AS node, ns.namespace, CASE WHEN s.node_key IS NULL THEN l.n END AS n`,
      columns.has('change') && `${changedAt('s')} AS "updatedAt"`,
    )}
      FROM (${page}) s
      LEFT JOIN node n ON n.node_key = s.node_key
      LEFT JOIN lineage l ON l.lineage_key = s.lineage_key
      LEFT JOIN namespace ns ON ns.namespace_key = s.namespace_key
     ORDER BY ${orderBy}`;
}
