import { CHAIN, failureAt, headerOf, LINEAGE, successAt } from '../../../../test/support/decided-rows.js';
import type { Query } from '../../projection.js';
import type { NewBlock } from '../facts/blocks.js';
import type { EventFacts, RecordFact } from '../facts/facts.js';
import { LossBook } from '../facts/losses.js';
import type { SubmissionRecord } from '../facts/submissions.js';
import type { ShownBlob } from '../facts/walks.js';
import { loadMemory } from '../memory.js';
import { Cells } from './cell.js';
import { Rows, type Row } from './row.js';
import { NO_END } from './step.js';
import { StepBook } from './steps.js';

const LATER = 2;

const noRows: Query = () => Promise.resolve([]);

/** A block without transactions, whose header is included on the DA layer at its height plus 90. */
function blockOf({ height, bytes, timeNs, position }: ShownBlob): NewBlock {
  return {
    nodeKey: 1,
    lineageKey: LINEAGE,
    height,
    timeNs,
    fromPosition: position,
    proposerKey: 1,
    headerDaHeight: 90n + height,
    dataDaHeight: null,
    txBytes: 0n,
    headerIncludedPosition: null,
    dataIncludedPosition: null,
    txCount: 0,
    headerBlobBytes: bytes,
    dataBlobBytes: null,
    checks: 0,
    hash: '',
    signedMark: null,
    lastHeaderHash: null,
    dataHash: null,
    appHash: null,
  };
}

/** Two nodes of a chain that are not in the tables yet. */
async function startBook() {
  const memory = await loadMemory(noRows);
  memory.lineages.keyOf(CHAIN, 0, 1n);
  expect(memory.lineages.keyOf(CHAIN, 1, 1n)).toBe(LATER);
  const node = memory.nodes.ofStream('n1/submissions', 1n);
  node.chainId = CHAIN;
  node.lineageKey = LINEAGE;
  memory.nodes.move(node, null);
  const other = memory.nodes.ofStream('n2/blocks', 1n);
  const cells = new Cells();
  const book = new StepBook(memory, { rows: new Rows(), cells, losses: new LossBook() });
  let position = 1n;
  const next = (fact?: RecordFact, { nodeKey } = node): EventFacts => {
    position += 1n;
    const event = { position, at: 1_000n * position, nodeKey, chainBefore: CHAIN };
    return fact ? { ...event, fact } : event;
  };
  /** Takes the next event of the node. @returns its steps */
  const take = (fact?: RecordFact) => {
    book.take(next(fact), { included: [] });
    return book.steps.splice(0);
  };
  const showBy = async (by: typeof node, lineageKey: number, headers: readonly ShownBlob[]) => {
    const blocks = headers.map((header) => ({ ...blockOf(header), nodeKey: by.nodeKey, lineageKey }));
    const facts = next({ type: 'blocks', lineageKey, blocks }, by);
    book.take(facts, await memory.walks.apply(facts, noRows));
    return book.steps.splice(0);
  };
  /** Takes an event that shows blocks with these headers. */
  const show = (...headers: ShownBlob[]) => showBy(node, LINEAGE, headers);
  /** Does the same for the other node, with a given lineage. */
  const showOther = (key: number, ...headers: ShownBlob[]) => showBy(other, key, headers);
  const rows = (...all: Row[]): RecordFact => ({ type: 'rows', rows: all as SubmissionRecord[] });
  return { cells, take, show, showOther, rows };
}

const quiet: RecordFact = { type: 'quiet' };

describe('an event', () => {
  it('decides at the DA height of a success that it shows', async () => {
    const { cells, take, rows } = await startBook();
    const row = successAt(2n);
    const [step] = take(rows(row));
    expect(step).toMatchObject({ chain: CHAIN, position: 2n, cells: new Set([100n]), groupsFrom: undefined });
    expect([...cells.get(CHAIN, 100n).successes]).toEqual([row]);
  });

  it('checks groups again above the last success, if it shows a failure that may have landed', async () => {
    const { take, rows } = await startBook();
    take(rows(successAt(2n)));
    const failure = failureAt(3n, { headerAfter: null });
    const [step] = take(rows(failure));
    expect(step).toMatchObject({ cells: new Set(), groupsFrom: 100n });
    expect(failure.headerAfter).toBe(2n);
  });

  it('checks groups again above the last success of either kind, if it reports a gap', async () => {
    const { take, rows } = await startBook();
    take(rows(successAt(2n)));
    const loss = { after: 2, minLost: 0, maxLost: null, likelyLost: null, from: null, to: 1 };
    const [step] = take({ type: 'loss', kind: 'RESET', loss } as RecordFact);
    // No success has shown where data lie.
    expect(step?.groupsFrom).toBe(0n);
  });

  it("with a node's change of history decides wherever others have shown some of that history", async () => {
    const { show, showOther } = await startBook();
    const [alone] = await showOther(LATER, headerOf(1n, 3n), headerOf(2n, 3n));
    expect(alone?.passed).toEqual([]);
    const [before] = await show(headerOf(1n, 3n));
    expect(before?.passed).toEqual([]);
    const [first] = await showOther(LINEAGE, headerOf(1n, 3n));
    const all = { lineageKey: LINEAGE, from: 0n, below: NO_END };
    expect(first?.passed).toMatchObject([
      { ...all, kind: 'HEADER' },
      { ...all, kind: 'DATA' },
    ]);
    const [second] = await showOther(LINEAGE, headerOf(2n, 3n));
    expect(second?.passed).toEqual([]);
  });

  it('without a decision makes no step', async () => {
    const { take } = await startBook();
    expect(take()).toEqual([]);
    expect(take(quiet)).toEqual([]);
  });
});

describe('the frontier', () => {
  it('passes what blocks showed once the list was polled after them', async () => {
    const { cells, take, rows, show } = await startBook();
    take(rows());
    const [shown] = await show(headerOf(1n, 3n), headerOf(2n, 3n));
    // A header is at the DA height that its block names: 91 and 92.
    expect(shown).toMatchObject({ cells: new Set([91n, 92n]), passed: [], position: 3n });
    expect(cells.get(CHAIN, 92n).blobsOf(LINEAGE, 3n).HEADER).toEqual([headerOf(2n, 3n)]);
    const [step] = take(quiet);
    expect(step?.passed).toEqual([{ lineageKey: LINEAGE, kind: 'HEADER', at: 3_000n, from: 0n, below: 92n }]);
    expect(step?.below.get(LINEAGE)).toEqual({ HEADER: 92n, DATA: 0n });
  });

  it('waits while a list that was there cannot be reached', async () => {
    const { take, rows, show } = await startBook();
    take(rows());
    await show(headerOf(1n, 3n), headerOf(2n, 3n));
    expect(take({ type: 'list', state: 'UNREACHABLE' })).toEqual([]);
    expect(take()).toEqual([]);
    expect(take(rows()).map(({ passed }) => passed.length)).toEqual([1]);
  });
});
