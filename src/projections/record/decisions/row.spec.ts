import { kindCodeOf } from '../../../domain/submissions/submission-codes.js';
import {
  CHAIN,
  CONFIRMED,
  failureAt,
  OBSERVED,
  successAt,
  UNCONFIRMED,
} from '../../../../test/support/decided-rows.js';
import { decide, storedPast, Rows, takeBack, applyReport, type Row } from './row.js';

describe('the decisions on a row', () => {
  it('make no version if nothing changes', () => {
    const row = successAt(10n);
    expect(decide(row, 20n, { daHeight: 100n, chainId: 'c1' })).toBe(false);
    expect([row.evidenceFromPosition, storedPast(row)]).toEqual([10n, []]);
  });

  it('replace what the same event decided, and keep what an earlier one did', () => {
    const row = successAt(10n, { evidence: OBSERVED });
    decide(row, 20n, { evidence: UNCONFIRMED });
    decide(row, 20n, { evidence: CONFIRMED });
    expect(row).toMatchObject({ evidence: CONFIRMED, evidenceFromPosition: 20n });
    expect(storedPast(row)).toMatchObject([{ evidence: OBSERVED, fromPosition: 10n, toPosition: 20n }]);
  });

  it('need no version of a success that was UNCONFIRMED first: readers derive it, unless it was of another chain', () => {
    const [row, moved] = [successAt(10n), successAt(10n)];
    decide(row, 20n, { evidence: CONFIRMED });
    decide(moved, 20n, { evidence: CONFIRMED, chainId: 'c2' });
    expect([storedPast(row), storedPast(moved).map(({ chainId }) => chainId)]).toEqual([[], ['c1']]);
  });

  it('can be taken back completely for a failure that had landed', () => {
    const row = successAt(10n, {
      status: 4,
      lineageKey: 2,
      evidence: CONFIRMED,
      blockFrom: 1n,
      shownAt: 5n,
    });
    expect(takeBack(row, 30n)).toBe(true);
    expect(row).toMatchObject({
      evidence: OBSERVED,
      daHeight: null,
      lineageKey: 1,
      blockFrom: null,
      shownAt: null,
    });
  });
});

it('a row is kept once, whatever code brings it', () => {
  const rows = new Rows();
  const [first, again] = [successAt(10n), successAt(10n)];
  expect(rows.identify(first)).toBe(first);
  expect(rows.identify(again)).toBe(first);
});

const CHAIN_OF = new Map([
  [1, CHAIN],
  [2, 'c2'],
]);
const UNKNOWN = kindCodeOf('UNKNOWN');

describe('the facts that a node reports later on its earlier rows', () => {
  it('include their kind, by the namespaces that it names, if no kind was known', () => {
    const told = { namespaces: { header: 7, data: 8 } };
    const kindOf = (more: Partial<Row>, namespaces = told.namespaces) => {
      const row = successAt(10n, { kind: UNKNOWN, ...more });
      const isChanged = applyReport(row, { namespaces }, 20n, CHAIN_OF);
      return `${row.kind} ${isChanged}`;
    };
    const code = (kind: 'HEADER' | 'DATA' | 'MIXED' | 'UNKNOWN') => kindCodeOf(kind);
    expect(kindOf({ namespaceKey: 7 })).toBe(`${code('HEADER')} true`);
    expect(kindOf({ namespaceKey: 8 })).toBe(`${code('DATA')} true`);
    expect(kindOf({ namespaceKey: 7 }, { header: 7, data: 7 })).toBe(`${code('MIXED')} true`);
    expect(kindOf({ namespaceKey: 9 })).toBe(`${code('UNKNOWN')} false`);
    expect(kindOf({ namespaceKey: 8, kind: code('HEADER') })).toBe(`${code('HEADER')} false`);
  });

  it('include their history, if they are of its chain and have no history', () => {
    const row = successAt(10n, { toldLineageKey: null, lineageKey: null });
    expect(applyReport(row, { history: 2 }, 20n, CHAIN_OF)).toBe(false);
    expect(applyReport(row, { history: 1 }, 20n, CHAIN_OF)).toBe(true);
    expect(row).toMatchObject({ toldLineageKey: 1, lineageKey: 1, evidenceFromPosition: 20n });
    expect(applyReport(row, { history: 1 }, 21n, CHAIN_OF)).toBe(false);
  });

  it('leave a history that blobs gave a row', () => {
    const row = successAt(10n, { toldLineageKey: null, lineageKey: 3 });
    expect(applyReport(row, { history: 1 }, 20n, CHAIN_OF)).toBe(true);
    expect(row).toMatchObject({ toldLineageKey: 1, lineageKey: 3, evidenceFromPosition: 10n });
  });

  it('include the chain of those without a reported history from an event on, among them a failure that had landed', () => {
    const chain = { name: 'c2', since: 10n, until: 13n, before: CHAIN };
    const unplaced = { toldLineageKey: null, lineageKey: null };
    const rows = [
      successAt(9n, unplaced),
      successAt(10n, unplaced),
      successAt(11n),
      failureAt(12n, { toldLineageKey: null, lineageKey: 1, daHeight: 100n, evidence: CONFIRMED }),
    ];
    expect(rows.map((row) => applyReport(row, { chains: [chain] }, 20n, CHAIN_OF))).toEqual([
      false,
      true,
      false,
      true,
    ]);
    expect(rows.map(({ chainId }) => chainId)).toEqual([CHAIN, 'c2', CHAIN, 'c2']);
    expect(rows[3]).toMatchObject({ daHeight: null, lineageKey: null, evidence: OBSERVED });
  });
});
