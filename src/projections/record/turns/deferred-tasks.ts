import { insertRows, type NewRow } from '../../../platform/rows/write-rows.js';
import { DecisionTurnEntity } from '../../../tables/record.entities.js';
import type { Query } from '../../projection.js';
import type { Step } from '../decisions/step.js';

/** A deferred task: a step that is left for later. */
export interface DeferredTask {
  readonly turnKey: bigint;
  /** The lowest DA height that is left. */
  readonly from: bigint;
  readonly step: Step;
}

/** The deferred tasks, by chain. While a chain has one, its later steps are deferred as well. */
export class DeferredTasks {
  private readonly chains = new Set<string>();
  private lastKey = 0n;
  private readonly added: Step[] = [];

  static async load(query: Query): Promise<DeferredTasks> {
    const book = new DeferredTasks();
    const rows = await query<{ chain: string; last: bigint }>(
      'SELECT chain, max(turn_key) AS last FROM decision_turn GROUP BY chain',
    );
    for (const { chain, last } of rows) {
      book.chains.add(chain);
      if (last > book.lastKey) book.lastKey = last;
    }
    return book;
  }

  get isEmpty(): boolean {
    return this.chains.size === 0;
  }

  has(chain: string): boolean {
    return this.chains.has(chain);
  }

  leave(step: Step): void {
    this.chains.add(step.chain);
    this.added.push(step);
  }

  async write(query: Query): Promise<void> {
    const rows = this.added.splice(0).map((step): NewRow<DecisionTurnEntity> => {
      const { chain, position, at } = step;
      const turnKey = (this.lastKey += 1n);
      return { turnKey, chain, position, at, nextNumber: 0n, done: 0n, step: JSON.parse(toJson(step)) };
    });
    await insertRows(query, DecisionTurnEntity, rows);
  }

  /** The next task: each chain's oldest is a candidate, and the one with the least progress wins. */
  async findNext(query: Query): Promise<DeferredTask | undefined> {
    if (this.isEmpty) return undefined;
    const [row] = await query<Omit<DeferredTask, 'step'> & { chain: string; step: string }>(
      `SELECT t.turn_key AS "turnKey", t.next_number AS "from", t.chain, t.step::text
         FROM unnest($1::text[]) AS c (chain)
        CROSS JOIN LATERAL (SELECT * FROM decision_turn d WHERE d.chain = c.chain ORDER BY turn_key LIMIT 1) t
        ORDER BY t.done, t.turn_key LIMIT 1`,
      [[...this.chains]],
    );
    return row && { ...row, step: { ...fromJson(row.step), chain: row.chain } };
  }

  /**
   * Notes that some DA heights of a task are done.
   * @param next the lowest that is left; undefined: the task is finished
   * @param more further DA heights at which the step must decide
   */
  async goOn(
    { turnKey, step }: DeferredTask,
    next: bigint | undefined,
    by: number,
    more: ReadonlySet<bigint>,
    query: Query,
  ): Promise<void> {
    if (next !== undefined) {
      for (const daHeight of more) step.cells.add(daHeight);
      const values = [turnKey, next, by, more.size === 0 ? null : toJson(step)];
      await query(
        `UPDATE decision_turn SET next_number = $2, done = done + $3, step = coalesce($4::jsonb, step) WHERE turn_key = $1`,
        values,
      );
      return;
    }
    const [left] = await query<{ count: number }>(
      `WITH gone AS (DELETE FROM decision_turn WHERE turn_key = $1)
       SELECT count(*)::int AS count FROM decision_turn WHERE chain = $2 AND turn_key <> $1`,
      [turnKey, step.chain],
    );
    if (left?.count === 0) this.chains.delete(step.chain);
  }
}

/** Integers of 64 bits become texts of digits, sets and maps become lists. */
function toJson(step: Step): string {
  return JSON.stringify(step, (_, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return value instanceof Set || value instanceof Map ? [...(value as Iterable<unknown>)] : value;
  });
}

/** Reverses {@link toJson}, except for the chain: its name may be digits. */
function fromJson(json: string): Step {
  const { cells, holes, walks, below, seenAt, groupsFrom, ...step } = JSON.parse(json, (_, value: unknown) =>
    typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : value,
  ) as StoredStep;
  return {
    ...step,
    groupsFrom,
    cells: new Set(cells),
    holes: new Set(holes),
    walks: new Map(walks),
    below: new Map(below),
    seenAt: new Map(seenAt),
  };
}

/** A step whose sets and maps are lists. */
type StoredStep = {
  readonly [Name in keyof Step]: Step[Name] extends Set<infer T>
    ? readonly T[]
    : Step[Name] extends ReadonlyMap<infer K, infer V>
      ? readonly (readonly [K, V])[]
      : Step[Name];
};
