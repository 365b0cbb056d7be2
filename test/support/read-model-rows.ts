import type { DataSource } from 'typeorm';

/** A row by column name; values as in JSON, `bytea` as `\x…`. */
export type TableRow = Readonly<Record<string, unknown>>;

/** The chain of a row of `submission`: the chain of its lineage, or else the chain that its node had named. */
const CHAIN = `coalesce((SELECT l.chain_id FROM lineage l WHERE l.lineage_key = r.lineage_key),
  (SELECT c.chain_id FROM node_chain c WHERE c.node_key = r.node_key AND c.from_position <= r.from_position
    ORDER BY c.from_position DESC LIMIT 1))`;

/** Inserts rows as a projection would, all with the columns of the first; submissions with their chains. */
export async function insertRows(
  dataSource: DataSource,
  table: string,
  rows: readonly TableRow[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  if (columns === '') return;
  const [names, values] =
    table === 'submission' ? [`${columns}, chain_id`, `${columns}, ${CHAIN}`] : [columns, columns];
  await dataSource.query(
    `INSERT INTO ${table} (${names}) SELECT ${values} FROM json_populate_recordset(NULL::${table}, $1) r`,
    [JSON.stringify(rows)],
  );
}

/** Records that the nodes of the read model named their chains from the start. */
export async function nameChains(dataSource: DataSource): Promise<void> {
  await dataSource.query(
    `INSERT INTO node_chain (node_key, from_position, chain_id, told)
     SELECT node_key, 0, chain_id, true FROM node WHERE chain_id IS NOT NULL`,
  );
}

/** A node of the read model; fields left out are unknown. */
export function nodeRow(nodeKey: number, id: string, more: TableRow = {}): TableRow {
  return {
    node_key: nodeKey,
    id,
    url: `http://${id}.example:7331`,
    chain_id: null,
    aggregator: null,
    shape: null,
    service_prefix: null,
    lineage_key: null,
    head: null,
    oldest: null,
    inclusion_frontier: null,
    submission_count: 0,
    block_count: 0,
    last_success_at: null,
    last_seen_at: null,
    retired: false,
    from_position: 1,
    ...more,
  };
}

/** A successful submission of headers by node 1; its position is its sequence by default. */
export function submissionRow(sequence: number | null, more: TableRow = {}): TableRow {
  const at = `2026-11-21T03:00:${String((sequence ?? 0) % 60).padStart(2, '0')}.123456Z`;
  return {
    node_key: 1,
    sequence,
    lineage_key: 1,
    ring: 0,
    status: 0,
    kind: 0,
    evidence: 1,
    wild_time: false,
    unreadable: false,
    namespace_key: null,
    blob_count: 2,
    da_height: 100,
    size_bytes: 350,
    occurred_at: at,
    observed_at: at,
    time_at: at,
    from_position: sequence,
    to_position: null,
    evidence_from_position: 1,
    gas_price: null,
    status_text: null,
    message: null,
    digest: sequence,
    block_from: null,
    block_to: null,
    first_attempt_at: null,
    shares: null,
    signed_shares: null,
    possible: null,
    counts_for_chain: true,
    ...more,
  };
}

/** A block of node 1 without transactions, everything proven; its hash is its height. */
export function blockRow(height: number, more: TableRow = {}): TableRow {
  return {
    node_key: 1,
    lineage_key: 1,
    height,
    time_ns: String(1_795_230_000_000_000_001n + BigInt(height) * 1_000_000_000n),
    header_da_height: null,
    data_da_height: null,
    tx_bytes: 0,
    from_position: 1,
    proposer_key: 1,
    tx_count: 0,
    header_blob_bytes: 175,
    data_blob_bytes: 0,
    checks: 0b01_01_01_01_01,
    hash: hashOf(height),
    last_header_hash: null,
    data_hash: null,
    app_hash: '\\x0a0b',
    ...more,
  };
}

/** 32 bytes that end in the number. */
export function hashOf(number: number): string {
  return `\\x${number.toString(16).padStart(64, '0')}`;
}

/** A stretch of a node's only list, by its number among the node's stretches; the unproven time after it has no end. */
export function coverageRow(
  node: string,
  number: number,
  [from, to]: readonly [string, string],
  more: TableRow = {},
): TableRow {
  return {
    node,
    number,
    kind: 'LIST',
    list: 0,
    ring: `${node}/0`,
    from_at: from,
    to_at: to,
    until_at: null,
    unstated: false,
    after_sequence: 0,
    ...more,
  };
}

/** The state from which a node's coverage continues, last polled at this time. */
export function coverageFoldRow(node: string, lookedAt: string): TableRow {
  return { node, state: {}, rings: {}, newest_row: null, looked_at: lookedAt };
}

/** A loss of node 1 without bounds. */
export function lossRow(position: number, more: TableRow = {}): TableRow {
  return {
    loss_position: position,
    node_key: 1,
    kind: 'OVERFLOW',
    after_sequence: 5,
    min_lost: 0,
    max_lost: null,
    likely_lost: null,
    from_at: '2026-11-21T03:00:00Z',
    to_at: '2026-11-21T03:01:00.5Z',
    from_position: position,
    to_position: null,
    ...more,
  };
}

/** An interval of alpha's health. */
export function healthRow(
  component: string,
  from: string,
  to: string | null,
  state: string,
  more: TableRow = {},
): TableRow {
  return {
    node: 'alpha',
    component,
    from_at: from,
    to_at: to,
    state,
    rule: 'healthy',
    reason: 'all is well',
    claim: null,
    claim_differs: null,
    differed_ms: 0,
    from_position: 1,
    to_position: null,
    ...more,
  };
}

/** A state of alpha's list of submissions. */
export function availabilityRow(
  from: string,
  to: string | null,
  state: string,
  more: TableRow = {},
): TableRow {
  return {
    node: 'alpha',
    from_at: from,
    to_at: to,
    state,
    detail: '',
    from_position: 1,
    to_position: null,
    ...more,
  };
}

/** Decisions about a chain that an event deferred. */
export function turnRow(turnKey: number, chain: string): TableRow {
  return {
    turn_key: turnKey,
    chain,
    position: 9,
    at: '2026-11-22T11:00:00Z',
    next_number: 0,
    done: 0,
  };
}

/** Records that the read models contain the whole log. */
export async function noteAllRead(dataSource: DataSource): Promise<void> {
  await dataSource.query(
    `INSERT INTO projection_checkpoint (name, position, version)
     SELECT name, position, 1 FROM log_head CROSS JOIN unnest('{record,coverage,prices}'::text[]) AS name`,
  );
}
