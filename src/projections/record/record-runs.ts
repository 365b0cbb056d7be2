import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Query } from '../projection.js';

/** A batch that has failed and not succeeded yet: Unix microseconds of its first attempt. */
interface Run {
  readonly nodeKey: number;
  readonly namespaceKey: number;
  readonly firstAttemptAt: bigint;
}

const COLUMNS = [
  column('node_key', 'int4', (run: Run) => run.nodeKey),
  column('namespace_key', 'int4', (run: Run) => run.namespaceKey),
  column('first_attempt_at', 'timestamptz', (run: Run) => run.firstAttemptAt),
];
const NO_NAMESPACE = 0;
/** Nodes choose the namespaces of their rows; a node that has more batches waiting than this gets no new run. */
const MOST_RUNS = 1_000;

/** Runs of a node by namespace. */
type Runs = Map<number, bigint>;

/** Failed attempts that no success has followed yet, of all nodes: they tell how long a batch took. */
export class RunBook {
  private readonly now = new Map<number, Runs>();
  private readonly stored = new Map<number, Runs>();
  private readonly touched = new Set<number>();

  static async load(query: Query): Promise<RunBook> {
    const book = new RunBook();
    const rows = await query<{ node_key: number; namespace_key: number; first_us: string }>(
      `SELECT node_key, namespace_key, (extract(epoch FROM first_attempt_at) * 1000000)::bigint AS first_us
         FROM submission_run`,
    );
    for (const { node_key, namespace_key, first_us } of rows) {
      runsOf(book.now, node_key).set(namespace_key, BigInt(first_us));
      runsOf(book.stored, node_key).set(namespace_key, BigInt(first_us));
    }
    return book;
  }

  /**
   * Takes the next row of a node's list, in its order.
   *
   * @returns of a success after failures the time of the first of them, else null
   */
  take(nodeKey: number, namespaceKey: number | null, isSuccess: boolean, timeAt: bigint): bigint | null {
    const runs = runsOf(this.now, nodeKey);
    const key = namespaceKey ?? NO_NAMESPACE;
    const first = runs.get(key);
    const isNews = isSuccess ? first !== undefined : first === undefined && runs.size < MOST_RUNS;
    if (!isNews) return null;
    this.touched.add(nodeKey);
    if (isSuccess) runs.delete(key);
    else runs.set(key, timeAt);
    return first ?? null;
  }

  /** Rows of the node may have been missed: the success of a waiting batch may be among them. */
  clear(nodeKey: number): void {
    const runs = runsOf(this.now, nodeKey);
    if (runs.size > 0) this.touched.add(nodeKey);
    runs.clear();
  }

  async write(query: Query): Promise<void> {
    const gone: Run[] = [];
    const changed: Run[] = [];
    for (const nodeKey of this.touched) {
      const now = runsOf(this.now, nodeKey);
      const stored = runsOf(this.stored, nodeKey);
      for (const [namespaceKey, firstAttemptAt] of stored) {
        if (!now.has(namespaceKey)) gone.push({ nodeKey, namespaceKey, firstAttemptAt });
      }
      for (const [namespaceKey, firstAttemptAt] of now) {
        if (stored.get(namespaceKey) !== firstAttemptAt)
          changed.push({ nodeKey, namespaceKey, firstAttemptAt });
      }
      this.stored.set(nodeKey, new Map(now));
    }
    this.touched.clear();
    await deleteRuns(gone, query);
    await replaceRuns(changed, query);
  }
}

async function deleteRuns(runs: readonly Run[], query: Query): Promise<void> {
  if (runs.length === 0) return;
  const gone = unnestRows(COLUMNS.slice(0, 2), runs, 'gone');
  await query(
    `DELETE FROM submission_run r USING ${gone.sql}
      WHERE r.node_key = gone.node_key AND r.namespace_key = gone.namespace_key`,
    gone.parameters,
  );
}

async function replaceRuns(runs: readonly Run[], query: Query): Promise<void> {
  if (runs.length === 0) return;
  const kept = unnestRows(COLUMNS, runs);
  await query(
    `INSERT INTO submission_run (${kept.names}) SELECT * FROM ${kept.sql}
     ON CONFLICT (node_key, namespace_key) DO UPDATE SET first_attempt_at = excluded.first_attempt_at`,
    kept.parameters,
  );
}

function runsOf(runs: Map<number, Runs>, nodeKey: number): Runs {
  let found = runs.get(nodeKey);
  if (!found) {
    found = new Map();
    runs.set(nodeKey, found);
  }
  return found;
}
