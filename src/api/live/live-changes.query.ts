import { Inject, Injectable } from '@nestjs/common';
import type { HealthComponent } from '../../domain/health/health-rule.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import type { BlockRowKey } from '../blocks/blocks.query.js';
import type { SubmissionListKey } from '../submissions/submissions.query.js';

/** The most changed rows of a table that are read in one step; of more, only the fact is known. */
const MOST_ROWS = 2_000;
/** The most changes of health, and notes on incidents, in one step. */
const MOST_OTHERS = 1_000;

/** How far the changes were read. */
export interface LiveCursor {
  /** Last event in the record, and in the health of nodes. */
  readonly recordAt: bigint;
  readonly healthAt: bigint;
  /** Last event of the log. */
  readonly logAt: bigint;
  /** Last change number of the record. */
  readonly change: bigint;
}

/** Where a row belongs; null: not known. */
export interface Owned {
  readonly node: string | null;
  readonly chain: string | null;
}

/** A row that was written. */
interface ChangedRow<Key> extends Owned {
  /** Undefined: the row was there before, or no list showed it. */
  readonly added: Key | undefined;
}

/** The changed rows of a table; undefined: too many to read. */
export type ChangedRows<Key> = readonly ChangedRow<Key>[] | undefined;

/** A present interval of health that is new, or was decided again. */
export interface HealthKey {
  readonly node: string;
  readonly chain: string | null;
  readonly component: HealthComponent;
  /** Microseconds. */
  readonly from: bigint;
}

/** All that was committed between two cursors. */
export interface Changes {
  readonly cursor: LiveCursor;
  readonly submissions: ChangedRows<SubmissionListKey>;
  readonly blocks: ChangedRows<BlockRowKey>;
  readonly health: readonly HealthKey[];
  /** Ids of incidents that were acknowledged, or have a new note. */
  readonly noted: readonly string[];
}

/** Numbers come as text, because JSON has no 64-bit integers. */
type SubmissionRow = readonly [
  key: number | null,
  sequence: string | null,
  Owned['node'],
  Owned['chain'],
  boolean,
];
type BlockRow = readonly [
  key: number,
  lineage: number,
  height: string,
  Owned['node'],
  Owned['chain'],
  boolean,
];
type HealthRow = readonly [
  node: string,
  chain: string | null,
  HealthComponent,
  from: string,
  position: string,
];

interface ChangesRow extends LiveCursor {
  readonly submissions: readonly SubmissionRow[];
  readonly blocks: readonly BlockRow[];
  readonly health: readonly HealthRow[];
  readonly noted: readonly string[];
}

const checkpointOf = (name: string): string =>
  `coalesce((SELECT position FROM projection_checkpoint WHERE name = '${name}'), 0)`;
const listOf = (values: string, from: string): string =>
  `(SELECT coalesce(json_agg(value), '[]') FROM (SELECT ${values} AS value ${from}) found)`;

/** One statement, and so one snapshot: what it misses has a later number than the cursor that it returns. */
const SELECT_CHANGES = `
  SELECT ${checkpointOf('record')} AS "recordAt", ${checkpointOf('health')} AS "healthAt", log_head.position AS "logAt",
    coalesce((SELECT max(change) FROM record_change), 0) AS change,
    ${listOf(
      'json_build_array(s.node_key, s.sequence::text, n.id, s.chain_id, s.from_position > $2::bigint)',
      `FROM submission s LEFT JOIN node n USING (node_key) WHERE s.change > $1::bigint ORDER BY s.change LIMIT ${MOST_ROWS + 1}`,
    )} AS submissions,
    ${listOf(
      'json_build_array(b.node_key, b.lineage_key, b.height::text, n.id, l.chain_id, b.from_position > $2::bigint)',
      `FROM block b LEFT JOIN node n USING (node_key) LEFT JOIN lineage l ON l.lineage_key = b.lineage_key
        WHERE b.change > $1::bigint ORDER BY b.change LIMIT ${MOST_ROWS + 1}`,
    )} AS blocks,
    ${listOf(
      'json_build_array(i.node, n.chain_id, i.component, (extract(epoch FROM i.from_at) * 1000000)::bigint::text, i.from_position::text)',
      // A state that began and ended in between is found by the present one of its line.
      `FROM health_interval open
        JOIN health_interval i ON i.node = open.node AND i.component = open.component AND i.to_position IS NULL
         AND i.from_position > $3::bigint AND i.from_at > open.from_at - interval '1 day'
        LEFT JOIN node n ON n.id = i.node
       WHERE open.to_position IS NULL AND open.to_at IS NULL AND open.from_position > $3::bigint
         AND $3::bigint < ${checkpointOf('health')}
       ORDER BY i.from_position, i.from_at LIMIT ${MOST_OTHERS}`,
    )} AS health,
    ${listOf(
      "e.body->>'incident'",
      `FROM event e WHERE e.position > $4::bigint AND e.type IN ('IncidentAcknowledged', 'IncidentNoted') AND e.recorded_at > now() - interval '1 day'
        ORDER BY e.position LIMIT ${MOST_OTHERS}`,
    )} AS noted
  FROM log_head`;

/** Finds what was recorded since a cursor, in the read models: so it works in every process that can read them. */
@Injectable()
export class LiveChangesQuery {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /** @param since without it, nothing but the present cursor is read */
  async getChanges(since?: LiveCursor): Promise<Changes> {
    const { change = null, recordAt = null, healthAt = null, logAt = null } = since ?? {};
    const [row] = await this.reads.query<ChangesRow[]>(SELECT_CHANGES, [change, recordAt, healthAt, logAt]);
    if (!row) throw new Error('The log has no head.');
    // The database lost its last commits, and gives their numbers to others.
    const isSetBack = since !== undefined && row.change < since.change;
    return {
      cursor: { recordAt: row.recordAt, healthAt: healthEnd(row), logAt: row.logAt, change: row.change },
      submissions: isSetBack ? undefined : bounded(row.submissions)?.map(toSubmission),
      blocks: isSetBack ? undefined : bounded(row.blocks)?.map(toBlock),
      health: row.health.map(([node, chain, component, from]) => ({
        node,
        chain,
        component,
        from: BigInt(from),
      })),
      noted: row.noted,
    };
  }
}

/** The last event whose changes of health were all read. */
function healthEnd({ health, healthAt }: Pick<ChangesRow, 'health' | 'healthAt'>): bigint {
  const last = health.length === MOST_OTHERS ? health.at(-1)?.[4] : undefined;
  return last === undefined ? healthAt : BigInt(last) - 1n;
}

function bounded<Row>(rows: readonly Row[]): readonly Row[] | undefined {
  return rows.length > MOST_ROWS ? undefined : rows;
}

function toSubmission([nodeKey, sequence, node, chain, isNew]: SubmissionRow): ChangedRow<SubmissionListKey> {
  const isListed = nodeKey !== null && sequence !== null;
  return { node, chain, added: isNew && isListed ? { nodeKey, sequence: BigInt(sequence) } : undefined };
}

function toBlock([nodeKey, lineageKey, height, node, chain, isNew]: BlockRow): ChangedRow<BlockRowKey> {
  return { node, chain, added: isNew ? { nodeKey, lineageKey, height: BigInt(height) } : undefined };
}
