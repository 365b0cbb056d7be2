import { columnsOf, selectList } from '../../../platform/rows/row-columns.js';
import { insertRows } from '../../../platform/rows/write-rows.js';
import { DecisionTurnEntity, type TurnKind } from '../../../tables/record/decision-turn.entity.js';
import type { Query } from '../../projection.js';
import type { Step } from './steps.js';

/** A step that is left for later, and what of it comes first; of rows what the event told of them. */
export interface Turn extends Omit<DecisionTurnEntity, 'step'> {
  readonly step: Step;
  readonly told: unknown;
}

const BIGINT = /^-?\d+n$/;

/** What is left to be decided, by chain: as long as something is, all that comes later of the chain is left as well. */
export class TurnBook {
  private readonly chains: Set<string>;
  private added: Omit<Turn, 'turnKey'>[] = [];

  private constructor(
    chains: readonly string[],
    private lastKey: bigint,
  ) {
    this.chains = new Set(chains);
  }

  static async load(query: Query): Promise<TurnBook> {
    const rows = await query<{ chain: string; last: bigint }>(
      'SELECT chain, max(turn_key) AS last FROM decision_turn GROUP BY chain',
    );
    const last = rows.reduce((most, row) => (row.last > most ? row.last : most), 0n);
    return new TurnBook(
      rows.map(({ chain }) => chain),
      last,
    );
  }

  get isEmpty(): boolean {
    return this.chains.size === 0;
  }

  has(chain: string): boolean {
    return this.chains.has(chain);
  }

  /** Leaves a step for later. @param told of rows: what the event told of them */
  leave(step: Step, nodeKey: number, what: TurnKind = 'CELLS', told: unknown = null): void {
    const { chain, position, at } = step;
    this.chains.add(chain);
    this.added.push({ chain, position, at, nodeKey, what, nextNumber: 0n, done: 0n, step, told });
  }

  async write(query: Query): Promise<void> {
    const rows = this.added.map(({ step, told, ...turn }) => {
      this.lastKey += 1n;
      return { ...turn, turnKey: this.lastKey, step: encode({ ...step, told }) };
    });
    this.added = [];
    await insertRows(query, DecisionTurnEntity, rows);
  }

  /** The next turn: the oldest of a chain, of the chain of which least is done of it. */
  async findNext(query: Query): Promise<Turn | undefined> {
    if (this.isEmpty) return undefined;
    const [row] = await query<DecisionTurnEntity>(
      `SELECT ${selectList(DecisionTurnEntity, 't')}
         FROM unnest($1::text[]) AS c (chain)
        CROSS JOIN LATERAL (SELECT * FROM decision_turn d WHERE d.chain = c.chain ORDER BY turn_key LIMIT 1) t
        ORDER BY t.done, t.turn_key LIMIT 1`,
      [[...this.chains]],
    );
    if (!row) {
      this.chains.clear();
      return undefined;
    }
    const { step, ...turn } = row;
    const { told, ...rest } = decode(step) as Step & { readonly told: unknown };
    return { ...turn, step: { ...rest, cells: new Set(rest.cells) }, told };
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
    const step = encode({ ...turn.step, groupsFrom: 0n, told: null });
    const what: TurnKind = 'CELLS';
    const columns = columnsOf(DecisionTurnEntity, 'turnKey', 'what', 'step').unnest(
      [{ turnKey: turn.turnKey, what, step }],
      'g',
    );
    await query(
      `UPDATE decision_turn t SET what = g.what, next_number = 0, step = g.step FROM ${columns.sql}
        WHERE t.turn_key = g.turn_key`,
      columns.parameters,
    );
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
