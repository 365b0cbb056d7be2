import { deserialize, serialize } from 'node:v8';
import { selectList } from '../../../platform/rows/row-columns.js';
import { insertRows } from '../../../platform/rows/write-rows.js';
import { DecisionTurnEntity } from '../../../tables/record/decision-turn.entity.js';
import type { Query } from '../../projection.js';
import type { Step } from '../decisions/step.js';

/** A step that is left for later. */
export interface Turn extends Pick<DecisionTurnEntity, 'turnKey' | 'chain' | 'position'> {
  readonly nextDaHeight: bigint;
  readonly step: Step;
}

const UNUSED = { nodeKey: null, what: null, leaves: null, step: null };

/** The decisions that are left, by chain. While a chain has some, later ones of the chain are left as well. */
export class TurnBook {
  private readonly chains = new Set<string>();
  private lastKey = 0n;
  private added: Step[] = [];

  static async load(query: Query): Promise<TurnBook> {
    const book = new TurnBook();
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
    const rows = this.added.map((step): DecisionTurnEntity => {
      const { chain, position, at } = step;
      this.lastKey += 1n;
      const turn = { turnKey: this.lastKey, chain, position, at, nextNumber: 0n, done: 0n, ...UNUSED };
      return { ...turn, state: serialize(step).toString('hex') };
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
    const { turnKey, chain, position, nextNumber, state } = row;
    return {
      turnKey,
      chain,
      position,
      nextDaHeight: nextNumber,
      step: deserialize(Buffer.from(state, 'hex')) as Step,
    };
  }

  /** So many DA heights of a turn are done; what is left begins at another. */
  async goOn({ turnKey }: Turn, nextDaHeight: bigint, by: number, query: Query): Promise<void> {
    await query('UPDATE decision_turn SET next_number = $2, done = done + $3 WHERE turn_key = $1', [
      turnKey,
      nextDaHeight,
      by,
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
}
