import { kindCodeOf, type SubmissionKind } from '../../../domain/submissions/submission-codes.js';
import type { NodeEntity } from '../../../tables/record.entities.js';
import { BracketBook } from './brackets.js';

/** One node's list, in which rows arrive one after the other. */
class List {
  readonly book = new BracketBook();
  readonly node = {
    nodeKey: 1,
    headerAfter: 0n,
    dataAfter: 0n,
    headerDa: null,
    dataDa: null,
  } as NodeEntity;
  private sequence = 0n;

  success(kind: SubmissionKind, daHeight: bigint) {
    return this.take(kind, daHeight).from;
  }

  /** Returns the sequences of the successes before the failure. */
  failure(kind: SubmissionKind) {
    const { from, row } = this.take(kind, null);
    return { from, headerAfter: row.headerAfter, dataAfter: row.dataAfter };
  }

  private take(kind: SubmissionKind, daHeight: bigint | null) {
    this.sequence += 1n;
    const row = {
      status: daHeight === null ? 4 : 0,
      kind: kindCodeOf(kind),
      daHeight,
      fromPosition: this.sequence,
      sequence: this.sequence,
      headerAfter: null as bigint | null,
      dataAfter: null as bigint | null,
    };
    return { from: this.book.take(this.node, row, daHeight === null).from, row };
  }
}

describe('a row without a DA height', () => {
  it('is behind the previous success of its kind, and has groups checked again from there on', () => {
    const list = new List();
    expect(list.success('HEADER', 100n)).toBeUndefined();
    expect(list.success('DATA', 103n)).toBeUndefined();
    expect(list.failure('HEADER')).toEqual({ from: 100n, headerAfter: 1n, dataAfter: null });
    expect(list.failure('DATA')).toEqual({ from: 103n, headerAfter: null, dataAfter: 2n });
  });

  it('is behind both if its kind is unknown, and behind none at the start of a list', () => {
    const list = new List();
    expect(list.failure('DATA')).toEqual({ from: 0n, headerAfter: null, dataAfter: 0n });
    list.success('HEADER', 100n);
    expect(list.failure('UNKNOWN')).toEqual({ from: 0n, headerAfter: 2n, dataAfter: 0n });
  });

  it('is placed by the next success of its kind: groups from the start of its bracket on are checked once more', () => {
    const list = new List();
    list.success('HEADER', 100n);
    list.failure('HEADER');
    expect(list.success('DATA', 104n)).toBeUndefined();
    expect(list.success('HEADER', 105n)).toBe(100n);
    expect(list.success('HEADER', 106n)).toBeUndefined();
  });
});

describe('a gap at the end of a list', () => {
  it('may hold what lies above the lower of the last successes, until a success of each kind follows it', () => {
    const list = new List();
    list.success('HEADER', 100n);
    list.success('DATA', 90n);
    expect(list.book.openHoleOf(1)).toBeUndefined();
    expect(list.book.takeGap(list.node, 7n)).toBe(90n);
    expect(list.book.openHoleOf(1)).toBe(90n);
    expect(list.success('DATA', 110n)).toBe(90n);
    expect(list.book.openHoleOf(1)).toBe(100n);
    expect(list.success('HEADER', 111n)).toBe(100n);
    expect(list.book.openHoleOf(1)).toBeUndefined();
  });

  it('is checked again if the node says that it does not submit, and only there', () => {
    const list = new List();
    list.success('HEADER', 100n);
    list.success('DATA', 90n);
    expect(list.book.takeFollower(list.node, 6n)).toBeUndefined();
    list.book.takeGap(list.node, 7n);
    expect(list.book.takeFollower(list.node, 8n)).toBe(90n);
  });

  it('is reported for each row next to it that may have landed', () => {
    const list = new List();
    list.book.takeGap(list.node, 7n);
    const row = { status: 4, kind: kindCodeOf('HEADER'), daHeight: null, fromPosition: 8n, sequence: 1n };
    const placed = { ...row, headerAfter: null, dataAfter: null };
    expect(list.book.take(list.node, placed, true).gaps).toEqual(new Set([7n]));
    expect(list.book.take(list.node, { ...placed, sequence: 2n }, false).gaps).toEqual(new Set());
  });
});
