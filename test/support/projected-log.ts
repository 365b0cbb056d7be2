import type { DataSource } from 'typeorm';
import { EventStore } from '../../src/event-log/event-store.js';
import { PROJECTION_FACTORIES } from '../../src/projections/all-projections.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import type { LoggedRow } from './bad-neighbour.js';
import { emptyTables } from './empty-tables.js';

/** Rows of each table as JSON text, sorted. */
export type Rows = Readonly<Record<string, readonly string[]>>;

const NODES = "('aggregator', 'follower')";
const CHAIN = 'made-up';

/**
 * The content of a read model about the good nodes and their chain, with names instead of keys, which another node may shift.
 * `own` limits it to the nodes' own rows.
 */
const TABLES: Readonly<Record<string, string>> = {
  node: `SELECT to_jsonb(t) - 'node_key' - 'lineage_key' || jsonb_build_object('lineage', l.chain_id || '/' || l.n)
           FROM node t LEFT JOIN lineage l USING (lineage_key) WHERE t.id IN ${NODES}`,
  submission: `SELECT to_jsonb(t) - 'change' - 'node_key' - 'lineage_key' - 'told_lineage_key' - 'namespace_key' || jsonb_build_object(
             'node', d.id, 'lineage', l.chain_id || '/' || l.n, 'told_lineage', o.chain_id || '/' || o.n, 'namespace', n.namespace)
           FROM submission t LEFT JOIN node d USING (node_key) LEFT JOIN lineage l ON l.lineage_key = t.lineage_key
           LEFT JOIN lineage o ON o.lineage_key = t.told_lineage_key
           LEFT JOIN namespace n USING (namespace_key)
          WHERE d.id IN ${NODES} OR (d.id IS NULL AND l.chain_id = '${CHAIN}')`,
  ...Object.fromEntries(
    ['loss', 'node_chain', 'node_list'].map((table) => [
      table,
      `SELECT to_jsonb(t) - 'change' - 'node_key' || jsonb_build_object('node', d.id)
         FROM ${table} t JOIN node d USING (node_key) WHERE d.id IN ${NODES}`,
    ]),
  ),
  submission_evidence_past: `SELECT to_jsonb(t) - 'node_key' - 'lineage_key' || jsonb_build_object(
             'node', d.id, 'lineage', l.chain_id || '/' || l.n)
           FROM submission_evidence_past t JOIN node d USING (node_key) LEFT JOIN lineage l ON l.lineage_key = t.lineage_key
          WHERE d.id IN ${NODES}`,
  submission_run: `SELECT to_jsonb(t) - 'node_key' - 'namespace_key' || jsonb_build_object(
             'node', d.id, 'namespace', n.namespace)
           FROM submission_run t JOIN node d USING (node_key) LEFT JOIN namespace n USING (namespace_key)
          WHERE d.id IN ${NODES}`,
  block: `SELECT to_jsonb(t) - 'change' - 'node_key' - 'lineage_key' - 'proposer_key' || jsonb_build_object(
             'node', d.id, 'lineage', l.chain_id || '/' || l.n, 'proposer', p.proposer_address)
           FROM block t JOIN node d USING (node_key) JOIN lineage l ON l.lineage_key = t.lineage_key
           JOIN proposer p USING (proposer_key) WHERE d.id IN ${NODES}`,
  inclusion_walk: `SELECT to_jsonb(t) - 'node_key' - 'lineage_key' || jsonb_build_object(
             'node', d.id, 'lineage', l.chain_id || '/' || l.n)
           FROM inclusion_walk t JOIN node d USING (node_key) JOIN lineage l ON l.lineage_key = t.lineage_key
          WHERE d.id IN ${NODES}`,
  frontier: `SELECT to_jsonb(t) - 'lineage_key' || jsonb_build_object('lineage', l.chain_id || '/' || l.n)
           FROM frontier t JOIN lineage l USING (lineage_key) WHERE l.chain_id = '${CHAIN}'`,
  bracket: `SELECT to_jsonb(t) - 'node_key' || jsonb_build_object('node', d.id)
           FROM bracket t JOIN node d USING (node_key) WHERE d.id IN ${NODES}`,
  ...Object.fromEntries(
    [
      'health_interval',
      'availability_interval',
      'coverage_interval',
      'probe_minute',
      'probe_state',
      'claim',
    ].map((table) => [
      table, // The axis holds the database's clock at the append.
      `SELECT to_jsonb(t) - 'axis' FROM ${table} t WHERE node IN ${NODES}`,
    ]),
  ),
  statistic: `SELECT to_jsonb(t) - 'node_key' - 'namespace_key' || jsonb_build_object('node', d.id, 'namespace', n.namespace)
           FROM statistic t LEFT JOIN node d USING (node_key) LEFT JOIN namespace n USING (namespace_key)
          WHERE d.id IN ${NODES} OR (t.node_key = 0 AND t.chain = '${CHAIN}')`,
  block_statistic: `SELECT to_jsonb(t) - 'node_key' - 'lineage_key' || jsonb_build_object(
             'node', d.id, 'lineage', l.chain_id || '/' || l.n)
           FROM block_statistic t LEFT JOIN node d USING (node_key) LEFT JOIN lineage l ON l.lineage_key = t.lineage_key
          WHERE d.id IN ${NODES} OR (t.node_key = 0 AND t.chain = '${CHAIN}')`,
};

/** Writes logs into a database's event log, one after the other, and reads the read models of each log alone. */
export class ProjectedLogs {
  private base = 0n;

  constructor(private readonly dataSource: DataSource) {}

  /** @returns the content about the good nodes of this log, with positions counted from its beginning */
  async project(rows: readonly LoggedRow[], batchSize: number): Promise<Rows> {
    await this.write(rows);
    const store = new EventStore(this.dataSource);
    const end = await store.lastPosition();
    await emptyTables(this.dataSource, [
      'projection_checkpoint, projection_fault, roll_up_mark, roll_up_fault',
      'statistic, block_statistic, statistic_state',
    ]);
    const runner = new ProjectionRunner(this.dataSource, store, batchSize);
    for (const create of Object.values(PROJECTION_FACTORIES)) {
      const projection = create();
      await emptyTables(this.dataSource, projection.tables);
      await this.dataSource.query('INSERT INTO projection_checkpoint VALUES ($1, $2, $3)', [
        projection.name,
        this.base.toString(),
        projection.version,
      ]);
      await runner.catchUp(projection, end);
    }
    await new RollUp(this.dataSource).run();
    const held = await this.read();
    this.base = end;
    return held;
  }

  private async write(rows: readonly LoggedRow[]): Promise<void> {
    const sorted = [...rows].sort((a, b) => a.place - b.place);
    await this.dataSource.query('SELECT ensure_event_partition(clock_timestamp())');
    await this.dataSource.query(
      `INSERT INTO event (position, stream, version, type, schema, observed_at, body, hash, recorded_at)
       SELECT position, stream, position, type, 1, to_timestamp(observed / 1e6), body::json, '\\x00', clock_timestamp()
         FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[])
              AS added (position, stream, type, observed, body)`,
      [
        sorted.map(({ place }) => String(this.base + BigInt(place))),
        sorted.map(({ stream }) => stream),
        sorted.map(({ type }) => type),
        sorted.map(({ observedAt }) => String(observedAt)),
        sorted.map(({ body }) => body),
      ],
    );
    await this.dataSource.query('UPDATE log_head SET position = $1', [
      String(this.base + BigInt(sorted.at(-1)?.place ?? 0)),
    ]);
  }

  private async read(): Promise<Rows> {
    const tables: Record<string, string[]> = {};
    for (const [table, sql] of Object.entries(TABLES)) {
      const rows = await this.dataSource.query<{ row: Record<string, unknown> }[]>(
        `SELECT row FROM (${sql}) t (row)`,
      );
      tables[table] = rows.map(({ row }) => JSON.stringify(this.fromBase(row))).sort();
    }
    return tables;
  }

  private fromBase(row: Record<string, unknown>): Record<string, unknown> {
    const entries = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      entries.map(([name, value]) =>
        // Position 0 is before any log.
        name.endsWith('position') && typeof value === 'number' && value !== 0
          ? [name, value - Number(this.base)]
          : [name, value],
      ),
    );
  }
}
