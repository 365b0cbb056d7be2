import type { BlobKind } from '../../../domain/evidence/inclusion-walk.js';
import { BLOB_KINDS } from '../../../domain/evidence/decide-cell.js';
import { SUBMISSION_KINDS } from '../../../domain/submissions/submission-codes.js';
import { readRows } from '../../../platform/rows/read-rows.js';
import { upsertRows } from '../../../platform/rows/write-rows.js';
import { BracketEntity, type NodeEntity, type SubmissionEntity } from '../../../tables/record.entities.js';
import type { Query } from '../../projection.js';

type BracketRow = Pick<SubmissionEntity, 'status' | 'kind' | 'daHeight' | 'fromPosition'> & {
  readonly sequence: bigint;
  headerAfter: bigint | null;
  dataAfter: bigint | null;
};

const AFTER = { HEADER: 'headerAfter', DATA: 'dataAfter' } as const;
const DA = { HEADER: 'headerDa', DATA: 'dataDa' } as const;

/**
 * The parts of lists between two successes of a kind that report their DA heights. Only parts with gaps, or with rows that
 * report no DA height, are kept. A success counts for the kind that its node had reported by then; a success of unknown or
 * mixed kind counts for both.
 */
export class BracketBook {
  /** Brackets without a success at their end, by node and kind. */
  private readonly open = new Map<string, BracketEntity>();
  private readonly dirty = new Set<BracketEntity>();

  static async load(query: Query): Promise<BracketBook> {
    const book = new BracketBook();
    const rows = await readRows(query, BracketEntity, 'WHERE closed_position IS NULL');
    for (const row of rows) book.open.set(nameOf(row.nodeKey, row.kind), row);
    return book;
  }

  /**
   * Takes the next row of a list.
   * @param mayHaveLanded whether the row reports no DA height but may be on the DA layer
   * @returns the DA height from which on groups must be re-examined (undefined if no group), and the gaps next to the row
   */
  take(node: NodeEntity, row: BracketRow, mayHaveLanded: boolean): { from?: bigint; gaps: Set<bigint> } {
    const kind = SUBMISSION_KINDS[row.kind];
    const gaps = new Set<bigint>();
    let from: bigint | undefined;
    for (const each of BLOB_KINDS) {
      if (row.status === 0 && row.daHeight !== null && kind !== otherThan(each)) {
        const closed = this.close(node, each, row.daHeight, row.fromPosition);
        node[AFTER[each]] = row.sequence;
        node[DA[each]] = row.daHeight;
        if (closed) from = lowest(from, closed.daFrom ?? 0n);
      } else if (mayHaveLanded && kind !== otherThan(each)) {
        row[AFTER[each]] = node[AFTER[each]];
        const { daFrom, lossPosition } = this.begin(node, each, row.fromPosition);
        if (lossPosition !== null) gaps.add(lossPosition);
        from = lowest(from, daFrom ?? 0n);
      }
    }
    return from === undefined ? { gaps } : { from, gaps };
  }

  /**
   * Notes that a node reports that it does not submit: another node does, so no block that appears until this node submits
   * again certainly belongs to a gap in its list.
   *
   * @returns the DA height from which on groups must be re-examined; undefined if no group
   */
  takeFollower(node: NodeEntity, position: bigint): bigint | undefined {
    for (const kind of BLOB_KINDS) this.begin(node, kind, position).otherLossPosition ??= position;
    return this.openHoleOf(node.nodeKey);
  }

  /** Notes a gap at the end of a list. @returns the DA height from which on groups must be re-examined */
  takeGap(node: NodeEntity, position: bigint): bigint {
    let from: bigint | undefined;
    for (const kind of BLOB_KINDS) {
      const bracket = this.begin(node, kind, position);
      if (bracket.lossPosition === null) bracket.lossPosition = position;
      else bracket.otherLossPosition ??= position;
      from = lowest(from, bracket.daFrom ?? 0n);
    }
    return from ?? 0n;
  }

  /** The DA height from which on a gap at the end of a list may contain something; undefined if there is no such gap. */
  openHoleOf(nodeKey: number): bigint | undefined {
    let from: bigint | undefined;
    for (const kind of BLOB_KINDS) {
      const bracket = this.open.get(nameOf(nodeKey, BLOB_KINDS.indexOf(kind)));
      if (bracket && bracket.lossPosition !== null) from = lowest(from, bracket.daFrom ?? 0n);
    }
    return from;
  }

  async write(query: Query): Promise<void> {
    await upsertRows(query, BracketEntity, [...this.dirty]);
    this.dirty.clear();
  }

  private begin(node: NodeEntity, kind: BlobKind, fromPosition: bigint): BracketEntity {
    const code = BLOB_KINDS.indexOf(kind);
    const name = nameOf(node.nodeKey, code);
    const bracket = this.open.get(name) ?? {
      nodeKey: node.nodeKey,
      kind: code,
      afterSequence: node[AFTER[kind]],
      daFrom: node[DA[kind]],
      daTo: null,
      fromPosition,
      closedPosition: null,
      lossPosition: null,
      otherLossPosition: null,
    };
    this.open.set(name, bracket);
    this.dirty.add(bracket);
    return bracket;
  }

  private close(node: NodeEntity, kind: BlobKind, daTo: bigint, closedPosition: bigint) {
    const name = nameOf(node.nodeKey, BLOB_KINDS.indexOf(kind));
    const bracket = this.open.get(name);
    if (!bracket) return undefined;
    Object.assign(bracket, { daTo, closedPosition });
    this.open.delete(name);
    this.dirty.add(bracket);
    return bracket;
  }
}

function otherThan(kind: BlobKind): BlobKind {
  return kind === 'HEADER' ? 'DATA' : 'HEADER';
}

function nameOf(nodeKey: number, kind: number): string {
  return `${nodeKey}/${kind}`;
}

function lowest(a: bigint | undefined, b: bigint): bigint {
  return a === undefined || b < a ? b : a;
}
