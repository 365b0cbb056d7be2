import type { BlobKind } from '../../../domain/evidence/inclusion-walk.js';
import { MOST_POSSIBLE, type Bracket, type Possible } from '../../../domain/evidence/explain-group.js';
import { SUBMISSION_KINDS, statusCodeOf } from '../../../domain/submissions/submission-codes.js';
import { columnsFor, selectList } from '../../../platform/rows/row-columns.js';
import { BracketEntity } from '../../../tables/record/bracket.entity.js';
import type { Query } from '../../projection.js';
import { byList, KIND_CODES } from './cells.js';
import { nameOf, SELECT_ROW, type Row, type Rows } from './row.js';

/** A group that may be a row which tells no DA height. */
export interface AskedGroup {
  readonly chain: string;
  readonly kind: BlobKind;
  readonly daHeight: bigint;
  readonly blobCount: number;
  readonly sizes: readonly bigint[] | null;
  /** What was recorded after this event is not asked. */
  readonly position: bigint;
}

interface Candidate {
  readonly row: Row;
  readonly bracket: BracketEntity;
}

type Found = Row &
  Readonly<Record<`b${string}`, unknown>> & { readonly n: number; readonly bracket: BracketEntity };

const ALREADY_IN_MEMPOOL = statusCodeOf('ALREADY_IN_MEMPOOL');
const ASKED = columnsFor({
  n: 'int4',
  nodeKey: 'int4',
  kind: 'int2',
  daHeight: 'int8',
  blobCount: 'int4',
  large: 'int8',
  small: 'int8',
  position: 'int8',
});
const AFTER: Readonly<Record<BlobKind, 'headerAfter' | 'dataAfter'>> = {
  HEADER: 'headerAfter',
  DATA: 'dataAfter',
};

/** The rows of a turn's chains that tell no DA height, and the holes in their lists, by brackets. */
export class PossibleRows {
  private readonly candidates = new Map<string, Map<string, Candidate>>();
  private readonly brackets = new Map<string, Map<string, BracketEntity>>();

  /**
   * @param changed brackets that are not written yet
   * @param nodesOf nodes whose lists may show what a chain posted
   */
  constructor(
    private readonly rows: Rows,
    private readonly changed: () => Iterable<BracketEntity>,
    private readonly nodesOf: (chain: string) => readonly number[],
  ) {}

  /** Loads what may be these groups. */
  async load(asked: readonly AskedGroup[], query: Query): Promise<void> {
    const fresh = asked.filter((group) => !this.candidates.has(askedName(group)));
    for (const group of fresh) {
      this.candidates.set(askedName(group), new Map());
      this.brackets.set(bracketName(group), new Map());
    }
    await this.loadBrackets(fresh, query);
    await this.loadRows(fresh, query);
    for (const group of fresh) this.takeChanged(group);
  }

  /** The brackets of a kind that hold a DA height, or did so before this turn. */
  bracketsOf(group: Pick<AskedGroup, 'chain' | 'kind' | 'daHeight'>): Iterable<BracketEntity> {
    return this.brackets.get(bracketName(group))?.values() ?? [];
  }

  /** Rows of the chain that may be a group by what is known at a position, and that are free. */
  of(group: AskedGroup, isFree: (row: Row) => boolean): { row: Row; possible: Possible }[] {
    const found: { row: Row; possible: Possible }[] = [];
    const { position } = group;
    for (const { row, bracket } of this.candidates.get(askedName(group))?.values() ?? []) {
      if (row.fromPosition > position || !isFree(row)) continue;
      found.push({ row, possible: toPossible(row, bracketAt(bracket, position)) });
    }
    // Rows of one node are never one attempt: the second of equal ones is that of another node's second.
    found.sort((a, b) => byList(a.row, b.row));
    const counts = new Map<string, number>();
    return found.map(({ row, possible }) => {
      const name = `${row.nodeKey} ${possible.attempt}`;
      const before = counts.get(name) ?? 0;
      counts.set(name, before + 1);
      return { row, possible: { ...possible, attempt: `${possible.attempt} ${before}` } };
    });
  }

  private async loadBrackets(asked: readonly AskedGroup[], query: Query): Promise<void> {
    const wanted = this.spread(asked);
    if (wanted.length === 0) return;
    const list = ASKED.unnest(wanted, 'w');
    const rows = await query<BracketEntity & { n: number }>(
      `SELECT w.n, ${selectList(BracketEntity, 'b')} FROM ${list.sql}
         JOIN bracket b ON b.node_key = w.node_key AND b.kind = w.kind
          AND (b.da_from IS NULL OR b.da_from <= w.da_height) AND (b.da_to IS NULL OR b.da_to >= w.da_height OR b.closed_position > w.position)`,
      list.parameters,
    );
    for (const { n, ...bracket } of rows) {
      const group = asked[n];
      if (group) this.brackets.get(bracketName(group))?.set(nameOfBracket(bracket), bracket);
    }
  }

  private async loadRows(asked: readonly AskedGroup[], query: Query): Promise<void> {
    const wanted = this.spread(asked).filter(({ n }) => {
      const group = asked[n];
      return group !== undefined && [...this.bracketsOf(group)].length > 0;
    });
    if (wanted.length === 0) return;
    const list = ASKED.unnest(wanted, 'w');
    const select = (after: string, kind: BlobKind) => `
      SELECT w.n, ${SELECT_ROW}, b.after_sequence AS "afterSequence" FROM w
        JOIN bracket b ON b.node_key = w.node_key AND b.kind = w.kind
         AND (b.da_from IS NULL OR b.da_from <= w.da_height) AND (b.da_to IS NULL OR b.da_to >= w.da_height OR b.closed_position > w.position)
       CROSS JOIN LATERAL (
         SELECT * FROM submission
          WHERE node_key = w.node_key AND ${after} = b.after_sequence AND ${after} IS NOT NULL AND from_position <= w.position
            AND (blob_count IS NULL OR blob_count = w.blob_count OR status = 0 AND blob_count < w.blob_count)
            AND (size_bytes IS NULL OR w.large IS NULL OR size_bytes IN (w.large, w.small) OR status = 0 AND size_bytes < w.large)
          ORDER BY sequence LIMIT ${MOST_POSSIBLE + 1}) s
       WHERE w.kind = ${KIND_CODES[kind]}`;
    const rows = await query<Found & { afterSequence: bigint }>(
      `WITH w AS (SELECT * FROM ${list.sql})
       ${select('header_after', 'HEADER')} UNION ALL ${select('data_after', 'DATA')}`,
      list.parameters,
    );
    for (const { n, afterSequence, ...row } of rows) {
      const group = asked[n];
      if (!group) continue;
      const name = `${row.nodeKey}/${KIND_CODES[group.kind]}/${afterSequence}`;
      const bracket = this.brackets.get(bracketName(group))?.get(name);
      if (bracket) this.add(group, this.rows.identify(row), bracket);
    }
  }

  /** What this turn knows better than the tables. */
  private takeChanged(group: AskedGroup): void {
    const nodes = this.nodesOf(group.chain);
    const brackets = this.brackets.get(bracketName(group));
    for (const bracket of this.changed()) {
      if (bracket.kind !== KIND_CODES[group.kind] || !nodes.includes(bracket.nodeKey)) continue;
      if (bracket.daFrom !== null && bracket.daFrom > group.daHeight) continue;
      brackets?.set(nameOfBracket(bracket), bracket);
    }
    for (const candidate of this.candidates.get(askedName(group))?.values() ?? []) {
      const known = brackets?.get(nameOfBracket(candidate.bracket));
      if (known) this.add(group, candidate.row, known);
    }
    for (const bracket of brackets?.values() ?? []) {
      for (const row of this.rows.addedOf(bracket.nodeKey)) {
        if (row[AFTER[group.kind]] === bracket.afterSequence) this.add(group, row, bracket);
      }
    }
  }

  private add(group: AskedGroup, row: Row, bracket: BracketEntity): void {
    this.candidates.get(askedName(group))?.set(nameOf(row), { row, bracket });
  }

  private spread(asked: readonly AskedGroup[]) {
    return asked.flatMap(({ chain, kind, daHeight, blobCount, sizes, position }, n) =>
      this.nodesOf(chain).map((nodeKey) => ({
        n,
        nodeKey,
        kind: KIND_CODES[kind],
        daHeight,
        blobCount,
        large: sizes?.[0] ?? null,
        small: sizes?.at(-1) ?? null,
        position,
      })),
    );
  }
}

/** A bracket as it was known at a position; undefined: it was none. */
export function bracketAt(bracket: BracketEntity, position: bigint): Bracket {
  const { daFrom, daTo, closedPosition, lossPosition } = bracket;
  const isClosed = closedPosition !== null && closedPosition <= position;
  return {
    from: daFrom,
    to: isClosed ? daTo : null,
    hasHole: lossPosition !== null && lossPosition <= position,
  };
}

function toPossible(row: Row, bracket: Bracket): Possible {
  const { nodeKey, sequence, status, blobCount, sizeBytes, wildTime, timeAt, observedAt } = row;
  return {
    nodeKey,
    sequence,
    kind: SUBMISSION_KINDS[row.kind] ?? 'UNKNOWN',
    isSuccess: status === 0,
    isInMempool: status === ALREADY_IN_MEMPOOL,
    blobCount,
    sizeBytes,
    earliestAt: wildTime ? null : timeAt < observedAt ? timeAt : observedAt,
    attempt: row.occurredAt === null ? nameOf(row) : `${row.occurredAt} ${row.digest}`,
    bracket,
  };
}

function askedName({ chain, kind, daHeight, blobCount, sizes }: AskedGroup): string {
  return `${kind} ${daHeight} ${blobCount} ${sizes?.join() ?? ''} ${chain}`;
}

function bracketName({ chain, kind, daHeight }: Pick<AskedGroup, 'chain' | 'kind' | 'daHeight'>): string {
  return `${kind} ${daHeight} ${chain}`;
}

function nameOfBracket({ nodeKey, kind, afterSequence }: BracketEntity): string {
  return `${nodeKey}/${kind}/${afterSequence}`;
}
