import type { Bracket, BlobGroup, Possible } from '../../../domain/evidence/explain-group.js';
import { SUBMISSION_KINDS, statusCodeOf } from '../../../domain/submissions/submission-codes.js';
import type { BracketEntity } from '../../../tables/record.entities.js';
import { byList } from './cell.js';
import { nameOf, nameOfBracket, type Row, type Rows } from './row.js';

/** A group that may be explained by a row that reports no DA height. */
export interface GroupQuestion extends Omit<BlobGroup, 'shownAt'> {
  readonly chain: string;
  /** The last event whose rows count. */
  readonly position: bigint;
}

export interface PossibleRow extends Possible {
  readonly row: Row;
}

const ALREADY_IN_MEMPOOL = statusCodeOf('ALREADY_IN_MEMPOOL');

export interface LoadedBracket extends BracketEntity {
  /** The chain of the list that showed the first gap in it; null if that is not known, or if there is no gap. */
  readonly lossChain: string | null;
}

/** The rows of a time slice's chains that report no DA height, and the gaps in their lists, by bracket. */
export class PossibleRows {
  /** For each group, the brackets that contain its DA height, or did when they were loaded. */
  private readonly brackets = new Map<string, LoadedBracket[]>();
  /** Stored rows by bracket and content, at most one more than `MOST_POSSIBLE`. */
  private readonly stored = new Map<string, Row[]>();

  /** @param rows the loaded rows, including those that are not stored yet */
  constructor(private readonly rows: Rows) {}

  /** The brackets of a kind that contain a DA height, or did before this time slice. */
  bracketsOf(group: Pick<GroupQuestion, 'chain' | 'kind' | 'daHeight'>): readonly LoadedBracket[] {
    return this.brackets.get(placeName(group)) ?? [];
  }

  /** A new list to fill with the brackets of a group; undefined if they are loaded already. */
  newBrackets(group: GroupQuestion): LoadedBracket[] | undefined {
    return newList(this.brackets, placeName(group));
  }

  /** A new list to fill with the stored rows of a bracket that may be a group; undefined if they are loaded already. */
  newRows(bracket: BracketEntity, group: GroupQuestion): Row[] | undefined {
    return newList(this.stored, listName(bracket, group));
  }

  landedAbove(daHeight: bigint): Row[] {
    const stored = [...this.stored.values()].flat();
    return stored.filter(({ daHeight: landedAt }) => landedAt !== null && landedAt > daHeight);
  }

  /**
   * The rows that may be a group, by the knowledge at its position.
   *
   * @param chainless successes at its DA height, in lists without a chain
   */
  of(group: GroupQuestion, isFree: (row: Row) => boolean, chainless: readonly Row[]): PossibleRow[] {
    const { position } = group;
    const found = chainless.map((row) => toPossible(row, UNBOUNDED));
    for (const bracket of this.bracketsOf(group)) {
      const stored = this.stored.get(listName(bracket, group)) ?? [];
      const known = bracketAt(bracket, position);
      for (const row of [...stored, ...this.rows.addedTo(bracket)]) {
        if (row.fromPosition <= position && isFree(row)) found.push(toPossible(row, known));
      }
    }
    // Two rows of one node are never the same attempt: of equal rows, a node's second matches another node's second.
    found.sort(byList);
    const counts = new Map<string, number>();
    return found.map((possible) => {
      const name = `${possible.nodeKey} ${possible.attempt}`;
      const before = counts.get(name) ?? 0;
      counts.set(name, before + 1);
      return { ...possible, attempt: `${possible.attempt} ${before}` };
    });
  }
}

/**
 * Whether a failure may have landed at a DA height: it has landed nowhere yet, or at this height, or at a higher one where
 * its step still decides.
 *
 * @param isDecided whether its step decides at a DA height, now or in a later time slice
 */
export function isFree(
  { daHeight: landedAt }: Row,
  daHeight: bigint,
  isDecided: (daHeight: bigint) => boolean,
): boolean {
  return landedAt === null || landedAt === daHeight || (landedAt > daHeight && isDecided(landedAt));
}

/** A bracket as it was known at a position. */
export function bracketAt(bracket: BracketEntity, position: bigint): Bracket {
  const { daFrom, daTo, closedPosition, lossPosition } = bracket;
  const isClosed = closedPosition !== null && closedPosition <= position;
  return {
    from: daFrom,
    to: isClosed ? daTo : null,
    hasGap: lossPosition !== null && lossPosition <= position,
  };
}

/** Nothing around a row bounds its DA height, or proves that it is the group. */
const UNBOUNDED: Bracket = { from: null, to: null, hasGap: true };

function toPossible(row: Row, bracket: Bracket): PossibleRow {
  const { nodeKey, sequence, status, blobCount, sizeBytes, wildTime, timeAt, observedAt } = row;
  return {
    row,
    nodeKey,
    sequence,
    kind: SUBMISSION_KINDS[row.kind] ?? 'UNKNOWN',
    isSuccess: status === 0,
    isChainless: row.chainId === null,
    isInMempool: status === ALREADY_IN_MEMPOOL,
    blobCount,
    sizeBytes,
    earliestAt: wildTime ? null : timeAt < observedAt ? timeAt : observedAt,
    attempt: row.occurredAt === null ? nameOf(row) : `${row.occurredAt} ${row.digest}`,
    bracket,
  };
}

function placeName({ chain, kind, daHeight }: Pick<GroupQuestion, 'chain' | 'kind' | 'daHeight'>): string {
  return `${kind} ${daHeight} ${chain}`;
}

function listName(bracket: BracketEntity, { blobCount, sizes }: GroupQuestion): string {
  return `${nameOfBracket(bracket)} ${blobCount} ${sizes?.join(' ') ?? ''}`;
}

function newList<T>(lists: Map<string, T[]>, name: string): T[] | undefined {
  if (lists.has(name)) return undefined;
  const list: T[] = [];
  lists.set(name, list);
  return list;
}
