import type { DataSource } from 'typeorm';
import { inTransaction } from '../../src/platform/sql.js';
import { aggregate, type Statistic, type Unit } from '../../src/statistics/roll-up/aggregate.js';
import { PriceBook } from '../../src/domain/cost/price-book.js';
import type { PriceEntry } from '../../src/domain/cost/price-entry.js';
import type { TableRow } from './read-model-rows.js';

/** Names of the codes of `submission` in the specs of roll-ups. */
const HEADER = 0;
export const DATA = 1;
export const MIXED = 2;
const OBSERVED = 0;
export const CONFIRMED = 1;
export const UNREFERENCED = 3;
export const RECONSTRUCTED = 4;
const UNDECIDED = 5;
const SUCCESS = 0;
export const TIMED_OUT = 5;

/** 2026-03-02, a Monday. */
export const DAY = '2026-03-02';

/** A moment of that day or another, in Unix microseconds. */
export function us(time: string, day = DAY): bigint {
  return BigInt(Date.parse(`${day}T${time.length === 5 ? `${time}:00` : time}Z`)) * 1000n;
}

/** A time of that day or another, as a column value. */
export function at(time: string, day = DAY): string {
  return `${day}T${time}Z`;
}

/** A row of `submission` that a node showed: by default a header batch of one block, 300 bytes. */
export function shown(nodeKey: number, sequence: number, time: string, more: TableRow = {}): TableRow {
  return {
    node_key: nodeKey,
    sequence,
    lineage_key: 1,
    ring: 0,
    status: SUCCESS,
    kind: HEADER,
    evidence: OBSERVED,
    wild_time: false,
    unreadable: false,
    namespace_key: 1,
    blob_count: 1,
    da_height: null,
    size_bytes: 300,
    occurred_at: time,
    observed_at: time,
    time_at: time,
    from_position: 10,
    to_position: null,
    evidence_from_position: 10,
    loss_position: null,
    gas_price: null,
    digest: nodeKey * 1_000_000 + sequence,
    block_from: null,
    block_to: null,
    first_attempt_at: null,
    shares: null,
    signed_shares: null,
    counts_for_chain: true,
    ...more,
  };
}

/** A row of `submission` that only blocks prove. */
export function reconstructed(time: string, more: TableRow = {}): TableRow {
  const row = shown(0, 0, time, { evidence: RECONSTRUCTED, ...more });
  return { ...row, node_key: null, sequence: null, ring: null, digest: null };
}

/** A row of `submission` for blobs that some attempt may have posted. */
export function undecided(time: string, more: TableRow = {}): TableRow {
  return reconstructed(time, { evidence: UNDECIDED, ...more });
}

/** A row of `block` without transactions. */
export function block(nodeKey: number, height: number, time: string, more: TableRow = {}): TableRow {
  return {
    node_key: nodeKey,
    lineage_key: 1,
    height,
    time_ns: (BigInt(Date.parse(time)) * 1_000_000n).toString(),
    header_da_height: null,
    data_da_height: null,
    tx_bytes: 0,
    from_position: 10,
    proposer_key: 1,
    tx_count: 0,
    header_blob_bytes: null,
    data_blob_bytes: null,
    checks: 0,
    ...more,
  };
}

export function unit(nodeKey: number, chain: string, from: string, to: string): Unit {
  return { nodeKey, chain, fromUs: us(from), toUs: us(to) };
}

/** The statistics of one unit, in a fixed order. */
export async function aggregateOne(
  dataSource: DataSource,
  of: Unit,
  prices: readonly PriceEntry[] = [],
  options: { readonly knownAt?: bigint; readonly pageRows?: number } = {},
): Promise<Statistic[]> {
  const books = new Map([['alpha', new PriceBook(prices)]]);
  const [sums] = await inTransaction(dataSource, (query) => aggregate(query, [of], { books, ...options }));
  return (sums?.statistics ?? []).toSorted(
    (a, b) =>
      a.chain.localeCompare(b.chain) ||
      a.kind - b.kind ||
      a.status - b.status ||
      a.namespaceKey - b.namespaceKey,
  );
}

/** Every column of every stored row, in a fixed order; sketches in hex. */
export async function dumpStatistics(dataSource: DataSource): Promise<string[]> {
  const rows: string[] = [];
  for (const table of ['statistic', 'block_statistic']) {
    const found = await dataSource.query<{ row: string }[]>(
      `SELECT t::text AS row FROM ${table} t ORDER BY t::text COLLATE "C"`,
    );
    rows.push(...found.map(({ row }) => `${table} ${row}`));
  }
  return rows;
}

export const ROLL_UP_TABLES = `submission, submission_evidence_past, block, node, lineage, namespace, inclusion_walk,
  chain_setting, price, imported_fee, statistic, block_statistic, roll_up_mark, roll_up_fault, statistic_state`;
