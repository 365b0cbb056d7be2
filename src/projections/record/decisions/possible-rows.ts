import type { BlobKind } from '../../../domain/evidence/inclusion-walk.js';
import {
  MOST_POSSIBLE,
  type Bracket,
  type Group,
  type Possible,
} from '../../../domain/evidence/explain-group.js';
import { SUBMISSION_KINDS, statusCodeOf } from '../../../domain/submissions/submission-codes.js';
import { columnsFor, selectList } from '../../../platform/rows/row-columns.js';
import { BracketEntity } from '../../../tables/record/bracket.entity.js';
import type { Query } from '../../projection.js';
import { byList, KIND_CODES } from './cells.js';
import { nameOf, nameOfBracket, SELECT_ROW, type Row, type Rows } from './row.js';

/** A group that may be a row which tells no DA height. */
export interface AskedGroup extends Omit<Group, 'shownAt'> {
  readonly chain: string;
  /** The last event whose rows count. */
  readonly position: bigint;
}

/** A row that may be a group. */
export interface PossibleRow extends Possible {
  readonly row: Row;
}

/** Behind all positions. */
const LAST = 2n ** 63n - 1n;

const ALREADY_IN_MEMPOOL = statusCodeOf('ALREADY_IN_MEMPOOL');
const PLACE = columnsFor({ n: 'int4', nodeKey: 'int4', kind: 'int2', daHeight: 'int8' });
const LIST = columnsFor({
  n: 'int4',
  nodeKey: 'int4',
  kind: 'int2',
  afterSequence: 'int8',
  blobCount: 'int4',
  large: 'int8',
  small: 'int8',
});

/** The rows of a turn's chains that tell no DA height, and the holes in their lists, by brackets. */
export class PossibleRows {
  /** Those that hold the DA height of a group, or did so when it was asked for, by group. */
  private readonly brackets = new Map<string, BracketEntity[]>();
  /** Stored rows by bracket and content: one more than {@link MOST_POSSIBLE} at most. */
  private readonly stored = new Map<string, Row[]>();

  /**
   * @param nodesOf nodes whose lists may show what a chain posted
   */
  constructor(
    private readonly rows: Rows,
    private readonly nodesOf: (chain: string) => readonly number[],
  ) {}

  /** Loads what may be these groups; once a turn. */
  async load(asked: readonly AskedGroup[], query: Query): Promise<void> {
    await this.loadBrackets(asked, query);
    await this.loadRows(asked, query);
  }

  /** The brackets of a kind that hold a DA height, or did so before this turn. */
  bracketsOf(group: Pick<AskedGroup, 'chain' | 'kind' | 'daHeight'>): Iterable<BracketEntity> {
    return this.brackets.get(placeName(group)) ?? [];
  }

  /** Rows that may be a group by what is known at a position, and that are free. */
  of(group: AskedGroup, isFree: (row: Row) => boolean): PossibleRow[] {
    const { position } = group;
    const found: PossibleRow[] = [];
    for (const bracket of this.bracketsOf(group)) {
      const stored = this.stored.get(listName(bracket, group)) ?? [];
      const known = bracketAt(bracket, position);
      for (const row of [...stored, ...this.rows.addedTo(bracket)]) {
        if (row.fromPosition <= position && isFree(row)) found.push(toPossible(row, known));
      }
    }
    // Rows of one node are never one attempt: the second of equal ones is that of another node's second.
    found.sort(byList);
    const counts = new Map<string, number>();
    return found.map((possible) => {
      const name = `${possible.nodeKey} ${possible.attempt}`;
      const before = counts.get(name) ?? 0;
      counts.set(name, before + 1);
      return { ...possible, attempt: `${possible.attempt} ${before}` };
    });
  }

  private async loadBrackets(asked: readonly AskedGroup[], query: Query): Promise<void> {
    const groups = [...new Map(asked.map((group) => [placeName(group), group])).values()];
    const found = groups.map((): BracketEntity[] => []);
    groups.forEach((group, n) => this.brackets.set(placeName(group), found[n] ?? []));
    // Those that were open at the first of these positions are wanted, too.
    const position = asked.reduce((first, group) => (group.position < first ? group.position : first), LAST);
    const places = groups.flatMap(({ chain, kind, daHeight }, n) =>
      this.nodesOf(chain).map((nodeKey) => ({ n, nodeKey, kind: KIND_CODES[kind], daHeight })),
    );
    if (places.length === 0) return;
    const list = PLACE.unnest(places, 'w');
    const brackets = await query<BracketEntity & { n: number }>(
      `SELECT w.n, ${selectList(BracketEntity, 'b')} FROM ${list.sql}
         JOIN bracket b ON b.node_key = w.node_key AND b.kind = w.kind
          AND (b.da_from IS NULL OR b.da_from <= w.da_height) AND (b.da_to IS NULL OR b.da_to >= w.da_height OR b.closed_position > ${position})`,
      list.parameters,
    );
    for (const { n, ...bracket } of brackets) found[n]?.push(bracket);
  }

  private async loadRows(asked: readonly AskedGroup[], query: Query): Promise<void> {
    const lists: Parameters<typeof LIST.unnest>[0][number][] = [];
    const found: Row[][] = [];
    for (const group of asked) {
      const { blobCount, sizes } = group;
      const [large, small] = [sizes?.[0] ?? null, sizes?.at(-1) ?? null];
      for (const bracket of this.bracketsOf(group)) {
        const name = listName(bracket, group);
        if (this.stored.has(name)) continue;
        const rows: Row[] = [];
        this.stored.set(name, rows);
        const { nodeKey, kind, afterSequence } = bracket;
        lists.push({ n: found.push(rows) - 1, nodeKey, kind, afterSequence, blobCount, large, small });
      }
    }
    if (lists.length === 0) return;
    const list = LIST.unnest(lists, 'w');
    const select = (after: string, kind: BlobKind) => `
      SELECT w.n, ${SELECT_ROW} FROM w CROSS JOIN LATERAL (
         SELECT * FROM submission
          WHERE node_key = w.node_key AND ${after} = w.after_sequence AND ${after} IS NOT NULL
            AND (blob_count IS NULL OR blob_count = w.blob_count OR status = 0 AND blob_count < w.blob_count)
            AND (size_bytes IS NULL OR w.large IS NULL OR size_bytes IN (w.large, w.small) OR status = 0 AND size_bytes < w.large)
          ORDER BY sequence LIMIT ${MOST_POSSIBLE + 1}) s
       WHERE w.kind = ${KIND_CODES[kind]}`;
    const rows = await query<Row & { n: number }>(
      `WITH w AS (SELECT * FROM ${list.sql})
       ${select('header_after', 'HEADER')} UNION ALL ${select('data_after', 'DATA')}`,
      list.parameters,
    );
    for (const { n, ...row } of rows) found[n]?.push(this.rows.identify(row));
  }
}

/** A bracket as it was known at a position. */
export function bracketAt(bracket: BracketEntity, position: bigint): Bracket {
  const { daFrom, daTo, closedPosition, lossPosition } = bracket;
  const isClosed = closedPosition !== null && closedPosition <= position;
  return {
    from: daFrom,
    to: isClosed ? daTo : null,
    hasHole: lossPosition !== null && lossPosition <= position,
  };
}

function toPossible(row: Row, bracket: Bracket): PossibleRow {
  const { nodeKey, sequence, status, blobCount, sizeBytes, wildTime, timeAt, observedAt } = row;
  return {
    row,
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

function placeName({ chain, kind, daHeight }: Pick<AskedGroup, 'chain' | 'kind' | 'daHeight'>): string {
  return `${kind} ${daHeight} ${chain}`;
}

function listName(bracket: BracketEntity, { blobCount, sizes }: AskedGroup): string {
  return `${nameOfBracket(bracket)} ${blobCount} ${sizes?.join(' ') ?? ''}`;
}
