import type { Micros } from '../../domain/time.js';
import { selectList } from '../../platform/rows/row-columns.js';
import { deleteRows, insertRows, updateRows } from '../../platform/rows/write-rows.js';
import { RecordMarkEntity, type RecordMarkKind } from '../../tables/record/record-mark.entity.js';
import type { Query } from '../projection.js';

/** The event that leaves marks. */
interface Origin {
  readonly position: bigint;
  readonly at: Micros;
  readonly nodeKey: number;
}

/** Of what a mark tells; what is left out is null. */
type MarkedPart = Partial<Pick<RecordMarkEntity, 'lineageKey' | 'chainId' | 'nextNumber' | 'below'>>;

const FIRST_NUMBER = -(2n ** 63n);

/** What one event leaves to be done in pages. Nothing is left of earlier ones by then, so that the marks count from 1. */
export class PageMarks {
  private readonly marks: RecordMarkEntity[] = [];

  leave(what: RecordMarkKind, { position, at, nodeKey }: Origin, part: MarkedPart = {}): void {
    const { lineageKey = null, chainId = null, nextNumber = FIRST_NUMBER, below = null } = part;
    const markKey = this.marks.length + 1;
    const origin = { markKey, what, position, at, nodeKey };
    this.marks.push({ ...origin, lineageKey, chainId, nextNumber, below, done: 0n, setAside: 0 });
  }

  write(query: Query): Promise<void> {
    return insertRows(query, RecordMarkEntity, this.marks);
  }
}

/** The mark to be worked off next; undefined: none is left. */
export async function findFirstMark(query: Query): Promise<RecordMarkEntity | undefined> {
  const [mark] = await query<RecordMarkEntity>(
    `SELECT ${selectList(RecordMarkEntity, 'm')} FROM record_mark m ORDER BY m.mark_key LIMIT 1`,
  );
  return mark;
}

/**
 * Takes what is done off a mark.
 *
 * @param next the lowest sequence, or DA height, that is left; null: none is
 */
export async function takeOff(
  mark: Readonly<RecordMarkEntity>,
  { next, done }: { readonly next: bigint | null; readonly done: number },
  query: Query,
): Promise<void> {
  if (next === null) return deleteRows(query, RecordMarkEntity, ['markKey'], [mark]);
  const left = { ...mark, nextNumber: next, done: mark.done + BigInt(done) };
  await updateRows(query, RecordMarkEntity, MOVED, [left]);
}

const MOVED = { key: ['markKey'], changed: ['nextNumber', 'done', 'setAside'] } as const;
