import type { DataSource } from 'typeorm';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import {
  blockRow,
  coverageRow,
  insertRows,
  nodeRow,
  submissionRow,
  type TableRow,
} from './read-model-rows.js';

/** Namespaces of headers and of data. */
export const HEADERS = `${'00'.repeat(28)}0a`;
export const DATA = `${'00'.repeat(28)}0b`;

const HOUR_MS = 3_600_000;

/** Every hour from one time up to another, at this many minutes past, as ISO 8601. */
export function everyHour(from: string, to: string, minutes = 0): string[] {
  const times: string[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += HOUR_MS)
    times.push(new Date(at + minutes * 60_000).toISOString());
  return times;
}

/** Inserts submissions and blocks into the read models, as a projection would, and rolls them up. */
export class StatisticsWorld {
  private readonly sequences = new Map<number, number>();

  constructor(private readonly dataSource: DataSource) {}

  /** Adds two nodes of a chain in Berlin, one of a chain in Kolkata, one of a chain without settings, and one without a chain. */
  async addNodes(): Promise<void> {
    await insertRows(this.dataSource, 'lineage', [
      { lineage_key: 1, chain_id: 'berlin-1', n: 1, from_position: 1 },
      { lineage_key: 2, chain_id: 'kolkata-1', n: 1, from_position: 1 },
      { lineage_key: 3, chain_id: 'plain-1', n: 1, from_position: 1 },
    ]);
    await insertRows(this.dataSource, 'node', [
      nodeRow(1, 'b1', { chain_id: 'berlin-1', lineage_key: 1, head: 40 }),
      nodeRow(2, 'b2', { chain_id: 'berlin-1', lineage_key: 1, head: 40 }),
      nodeRow(3, 'k1', { chain_id: 'kolkata-1', lineage_key: 2 }),
      nodeRow(4, 'p1', { chain_id: 'plain-1', lineage_key: 3, head: 10 }),
      nodeRow(5, 'fresh', {}),
    ]);
    await insertRows(this.dataSource, 'namespace', [
      { namespace_key: 1, namespace: HEADERS },
      { namespace_key: 2, namespace: DATA },
    ]);
    await insertRows(this.dataSource, 'chain_setting', [
      { chain: 'berlin-1', reporting_time_zone: 'Europe/Berlin', da_layer: 'celestia', from_position: 1 },
      { chain: 'kolkata-1', reporting_time_zone: 'Asia/Kolkata', da_layer: 'celestia', from_position: 1 },
    ]);
  }

  /** Adds a submission of one header blob of 300 bytes at each of the times; defaults are those of `submissionRow`. */
  async addSubmissions(nodeKey: number, times: readonly string[], more: TableRow = {}): Promise<void> {
    const lineage = [null, 1, 1, 2, 3, null][nodeKey] ?? null;
    const rows = times.map((at) => {
      const sequence = (this.sequences.get(nodeKey) ?? 0) + 1;
      this.sequences.set(nodeKey, sequence);
      return submissionRow(sequence, {
        node_key: nodeKey,
        lineage_key: lineage,
        namespace_key: 1,
        blob_count: 1,
        size_bytes: 300,
        shares: 1,
        signed_shares: 1,
        // Digests differ between nodes, so that no two rows are one attempt by chance.
        digest: nodeKey * 1_000_000 + sequence,
        occurred_at: at,
        observed_at: at,
        time_at: at,
        ...more,
      });
    });
    await insertRows(this.dataSource, 'submission', rows);
  }

  /** Adds blocks of a node, from a height on, one at each of the times. */
  async addBlocks(
    nodeKey: number,
    firstHeight: number,
    times: readonly string[],
    more: TableRow = {},
  ): Promise<void> {
    const rows = times.map((at, index) =>
      blockRow(firstHeight + index, {
        node_key: nodeKey,
        time_ns: `${BigInt(Date.parse(at)) * 1_000_000n}`,
        ...more,
      }),
    );
    await insertRows(this.dataSource, 'block', rows);
  }

  /** Adds a price to the book; valid from the beginning if no time is given. */
  async addPrice(
    chain: string,
    subject: string,
    from: string | null,
    value: unknown,
    more: TableRow = {},
  ): Promise<void> {
    await insertRows(this.dataSource, 'price', [
      {
        chain,
        subject,
        effective_from: from ?? '-infinity',
        value,
        source: 'settings',
        recorded_at: '2026-01-01T00:00:00Z',
        from_position: 1,
        ...more,
      },
    ]);
  }

  /**
   * Adds a time in which no row of a node's list can have been missed. It continues the previous one, and a time between the two
   * is unproven; the node is retired at its end.
   */
  async addCoverage(node: string, from: string, to: string): Promise<void> {
    const [row] = await this.dataSource.query<{ next: number }[]>(
      'SELECT count(*)::int AS next FROM coverage_interval WHERE node = $1',
      [node],
    );
    const number = row?.next ?? 0;
    await this.dataSource.query(
      'UPDATE coverage_interval SET until_at = $3 WHERE node = $1 AND number = $2',
      [node, number - 1, from],
    );
    await insertRows(this.dataSource, 'coverage_interval', [
      coverageRow(node, number, [from, to], { until_at: to }),
    ]);
  }

  /** Computes all buckets from the added rows. */
  async rollUp(): Promise<void> {
    await new RollUp(this.dataSource).run();
  }
}
