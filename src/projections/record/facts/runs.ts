import { entryOf } from '../../../domain/collections.js';
import type { Micros } from '../../../domain/time.js';
import { readRows } from '../../../platform/rows/read-rows.js';
import { deleteRows, upsertRows } from '../../../platform/rows/write-rows.js';
import { SubmissionRunEntity } from '../../../tables/record.entities.js';
import type { Query } from '../../projection.js';

const NO_NAMESPACE = 0;
/** Nodes choose the namespaces of their rows; a node with more waiting batches than this gets no new run. */
const MOST_RUNS = 1_000;

/** Time of the first attempt of each of a node's runs, by namespace. */
type Runs = Map<number, Micros>;
const newRuns = (): Runs => new Map();

/** Runs of failed attempts that no success has followed yet, of all nodes: they show how long a batch took. */
export class RunBook {
  private readonly now = new Map<number, Runs>();
  /** Runs that have begun or ended since the last write, by node. */
  private readonly touched = new Map<number, Set<number>>();

  static async load(query: Query): Promise<RunBook> {
    const book = new RunBook();
    const rows = await readRows(query, SubmissionRunEntity);
    for (const { nodeKey, namespaceKey, firstAttemptAt } of rows) {
      entryOf(book.now, nodeKey, newRuns).set(namespaceKey, firstAttemptAt);
    }
    return book;
  }

  /**
   * Takes the next row of a node's list, in list order.
   * @returns for a success after failures, the time of the first failure; else null
   */
  take(nodeKey: number, namespaceKey: number | null, isSuccess: boolean, timeAt: Micros): Micros | null {
    const runs = entryOf(this.now, nodeKey, newRuns);
    const key = namespaceKey ?? NO_NAMESPACE;
    const first = runs.get(key);
    const isNews = isSuccess ? first !== undefined : first === undefined && runs.size < MOST_RUNS;
    if (!isNews) return null;
    this.touch(nodeKey, key);
    if (isSuccess) runs.delete(key);
    else runs.set(key, timeAt);
    return first ?? null;
  }

  /** Ends all runs of a node after a gap: the success of a waiting batch may be among the missed rows. */
  clear(nodeKey: number): void {
    const runs = entryOf(this.now, nodeKey, newRuns);
    for (const namespaceKey of runs.keys()) this.touch(nodeKey, namespaceKey);
    runs.clear();
  }

  async write(query: Query): Promise<void> {
    const gone: Omit<SubmissionRunEntity, 'firstAttemptAt'>[] = [];
    const changed: SubmissionRunEntity[] = [];
    for (const [nodeKey, namespaceKeys] of this.touched) {
      for (const namespaceKey of namespaceKeys) {
        const firstAttemptAt = this.now.get(nodeKey)?.get(namespaceKey);
        if (firstAttemptAt === undefined) gone.push({ nodeKey, namespaceKey });
        else changed.push({ nodeKey, namespaceKey, firstAttemptAt });
      }
    }
    this.touched.clear();
    await deleteRows(query, SubmissionRunEntity, ['nodeKey', 'namespaceKey'], gone);
    await upsertRows(query, SubmissionRunEntity, changed);
  }

  private touch(nodeKey: number, namespaceKey: number): void {
    entryOf(this.touched, nodeKey, () => new Set()).add(namespaceKey);
  }
}
