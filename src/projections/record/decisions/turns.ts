import { entryOf } from '../../../domain/collections.js';
import { selectList } from '../../../platform/rows/row-columns.js';
import { insertRows, updateRows } from '../../../platform/rows/write-rows.js';
import { DecisionTurnEntity, type TurnKind } from '../../../tables/record/decision-turn.entity.js';
import type { Query } from '../../projection.js';
import type { Step } from './step.js';

/** A step that is left for later, and what of it comes first; of rows what the event told of them. */
export interface Turn extends Omit<DecisionTurnEntity, 'step'> {
  readonly step: Step;
  /** Of the chain that its rows leave. */
  readonly left: Step | null;
  readonly told: unknown;
}

const CELLS_NOW = { key: ['turnKey'], changed: ['what', 'leaves', 'nextNumber', 'step'] } as const;
const BIGINT = /^-?\d+n$/;

/** The decisions that are left, by chain. While a chain has some, later ones of the chain are left as well. */
export class TurnBook {
  private readonly chains = new Set<string>();
  private lastKey = 0n;
  /** Nodes with rows that are left to be told another chain, by the chain that they leave. */
  private readonly leaving = new Map<string, Set<number>>();
  private added: Omit<Turn, 'turnKey'>[] = [];

  static async load(query: Query): Promise<TurnBook> {
    const book = new TurnBook();
    const rows = await query<{ chain: string; leaves: string | null; nodeKey: number; last: bigint }>(
      'SELECT chain, leaves, node_key AS "nodeKey", max(turn_key) AS last FROM decision_turn GROUP BY 1, 2, 3',
    );
    for (const { chain, leaves, nodeKey, last } of rows) {
      book.chains.add(chain);
      if (leaves !== null) book.noteLeaving(leaves, nodeKey);
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

  /** Nodes whose rows are of a chain until a turn; some of them may be done. */
  nodesLeaving(chain: string): Iterable<number> {
    return this.leaving.get(chain) ?? [];
  }

  /** Leaves a step for later. @param told of rows: what the event told of them, and the step of the chain that they leave */
  leave(
    step: Step,
    nodeKey: number,
    what: TurnKind = 'CELLS',
    { told, left }: Pick<Turn, 'told' | 'left'> = { told: null, left: null },
  ): void {
    const { chain, position, at } = step;
    const leaves = left?.chain ?? null;
    this.chains.add(chain);
    if (leaves !== null) this.noteLeaving(leaves, nodeKey);
    const turn = { chain, leaves, position, at, nodeKey, what, nextNumber: 0n, done: 0n };
    this.added.push({ ...turn, step, left, told });
  }

  async write(query: Query): Promise<void> {
    const rows = this.added.map(({ step, left, told, ...turn }) => {
      this.lastKey += 1n;
      return { ...turn, turnKey: this.lastKey, step: encode({ ...step, left, told }) };
    });
    this.added = [];
    await insertRows(query, DecisionTurnEntity, rows);
  }

  /** The next turn: the oldest of a chain, or of both its chains, of the chain of which least is done of it. */
  async findNext(query: Query): Promise<Turn | undefined> {
    if (this.isEmpty) return undefined;
    const [row] = await query<DecisionTurnEntity>(
      `SELECT ${selectList(DecisionTurnEntity, 't')}
         FROM unnest($1::text[]) AS c (chain)
        CROSS JOIN LATERAL (SELECT * FROM decision_turn d WHERE d.chain = c.chain ORDER BY turn_key LIMIT 1) t
        WHERE NOT EXISTS (SELECT FROM decision_turn o WHERE o.chain = t.leaves AND o.turn_key < t.turn_key)
          AND NOT EXISTS (SELECT FROM decision_turn o WHERE o.leaves = t.chain AND o.turn_key < t.turn_key)
        ORDER BY t.done, t.turn_key LIMIT 1`,
      [[...this.chains]],
    );
    if (!row) {
      this.chains.clear();
      return undefined;
    }
    const { step, ...turn } = row;
    const { left, told, ...rest } = decode(step) as Step & Pick<Turn, 'left' | 'told'>;
    return { ...turn, step: { ...rest, cells: new Set(rest.cells) }, left, told };
  }

  /** So much of a turn is done; what is left begins at a number. */
  async goOn({ turnKey }: Turn, nextNumber: bigint, by: number, query: Query): Promise<void> {
    await query('UPDATE decision_turn SET next_number = $2, done = done + $3 WHERE turn_key = $1', [
      turnKey,
      nextNumber,
      by,
    ]);
  }

  /** Of rows all is done: groups that they may be are asked again. */
  async goOnWithGroups(turn: Turn, query: Query): Promise<void> {
    const step = encode({ ...turn.step, groupsFrom: 0n, left: null, told: null });
    await updateRows(query, DecisionTurnEntity, CELLS_NOW, [
      { turnKey: turn.turnKey, what: 'CELLS', leaves: null, nextNumber: 0n, step },
    ]);
  }

  /** Nothing of a turn is left. */
  async end({ turnKey, chain }: Turn, query: Query): Promise<void> {
    const [left] = await query<{ count: number }>(
      `WITH gone AS (DELETE FROM decision_turn WHERE turn_key = $1)
       SELECT count(*)::int AS count FROM decision_turn WHERE chain = $2 AND turn_key <> $1`,
      [turnKey, chain],
    );
    if (left?.count === 0) this.chains.delete(chain);
  }

  private noteLeaving(chain: string, nodeKey: number): void {
    entryOf(this.leaving, chain, () => new Set()).add(nodeKey);
  }
}

/** As JSON can hold it: maps as their entries, sets as lists, and integers as text. */
function encode(value: unknown): unknown {
  const toPlain = (_: string, each: unknown) => {
    if (typeof each === 'bigint') return `${each}n`;
    if (each instanceof Map) return { map: [...(each as ReadonlyMap<unknown, unknown>)] };
    return each instanceof Set ? [...(each as ReadonlySet<unknown>)] : each;
  };
  return JSON.parse(JSON.stringify(value, toPlain));
}

function decode(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, each: unknown) => {
    if (typeof each === 'string') return BIGINT.test(each) ? BigInt(each.slice(0, -1)) : each;
    const { map } = (each ?? {}) as { readonly map?: readonly [unknown, unknown][] };
    return Array.isArray(map) ? new Map(map) : each;
  });
}
