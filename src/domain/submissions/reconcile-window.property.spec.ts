import {
  ModelRing,
  type EqualRows,
  type ModelAnswer,
  type ModelRow,
} from '../../../test/support/model-ring.js';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { applyVerdict, initialRing, restoreRing, saveRing, type KnownRing } from './known-ring.js';
import { reconcile } from './reconcile-window.js';
import { findRowTime } from './submission-row.js';
import type { Verdict, WindowLoss } from './window-verdict.js';

const KINDS = [
  'AMBIGUOUS',
  'CUT',
  'FIRST_CONTACT',
  'LOST',
  'OBSERVED',
  'RESET',
  'STALE',
  'SWITCHED',
  'UNCHANGED',
];
const POLLS = Number(process.env.HINDSIGHT_MODEL_POLLS ?? 2_000);
const SEED = Number(process.env.HINDSIGHT_MODEL_SEED ?? 20_261_121);

interface Scenario {
  readonly ringSize: number;
  readonly newestFirst: boolean;
  readonly equal: { readonly share: number; readonly kind: EqualRows };
  readonly nodes: number;
  readonly isCalm: boolean;
}

const scenarios: Scenario[] = [];
for (const ringSize of [100, 50, 7, 130]) {
  for (const share of [0, 0.05, 0.3, 1]) {
    for (const kind of share === 0
      ? (['ZERO_TIME'] as const)
      : (['ZERO_TIME', 'TIMELESS', 'COPIES', 'TWINS'] as const)) {
      for (const nodes of [1, 2]) {
        const newestFirst = scenarios.length % 3 !== 2;
        scenarios.push({
          ringSize,
          newestFirst,
          equal: { share, kind },
          nodes,
          isCalm: scenarios.length % 2 === 0,
        });
      }
    }
  }
}

/** A recorder that is fed with the model's answers, and knows the true identity of each recorded row. */
class ModelRecorder {
  known: KnownRing = initialRing();
  readonly recorded: (ModelRow & { readonly source: number; readonly after: number })[] = [];
  readonly lossesAfter = new Map<number, WindowLoss['kind'][]>();
  /** The newest recorded row of each node. */
  readonly newest = new Map<number, number>();
  /** Batches that were recorded in the wrong order, because nothing showed the direction. */
  readonly turnedAfter = new Set<number>();
  private lastBody: string | undefined;
  private isSettled = false;

  constructor(private readonly newestFirst: boolean) {}

  poll(answer: ModelAnswer): Verdict | undefined {
    // Like an observer that skips a body equal to the last one, once it was understood.
    const body = JSON.stringify([answer.complete, answer.rows]);
    const isSame = body === this.lastBody;
    this.lastBody = body;
    if (isSame && this.isSettled && !this.known.isBlind) return undefined;
    const verdict = reconcile(this.known, answer);
    this.isSettled = 'fresh' in verdict;
    if ('fresh' in verdict) {
      const fresh = this.toModelRows(answer, verdict.fresh, verdict.newestFirst);
      this.recorded.push(
        ...fresh.map((row) => ({ ...row, source: verdict.source, after: this.known.sequence })),
      );
      for (const row of fresh) this.newest.set(row.node, Math.max(row.truth, this.newest.get(row.node) ?? 0));
      if (verdict.loss) {
        const { after, kind } = verdict.loss;
        expect(verdict.loss).toMatchObject({ after: this.known.sequence, minLost: 0, maxLost: null });
        this.lossesAfter.set(after, [...(this.lossesAfter.get(after) ?? []), kind]);
      }
    }
    this.known = applyVerdict(this.known, verdict);
    return verdict;
  }

  /** The rows behind the texts to record. If all are equal, the order of recording means nothing. */
  private toModelRows(
    answer: ModelAnswer,
    texts: readonly string[],
    newestFirst: boolean,
  ): readonly ModelRow[] {
    const isNoMatter = answer.rows.every((text) => text === answer.rows[0]);
    if (!isNoMatter && newestFirst !== this.newestFirst) {
      if (this.known.newestFirst !== undefined) {
        const { windows } = this.known;
        throw new Error(
          `took for newest first what is not: ${JSON.stringify({ windows, sent: answer.sent })}`,
        );
      }
      this.turnedAfter.add(this.known.sequence);
    }
    const ordered = (isNoMatter ? this.newestFirst : newestFirst) ? answer.sent.toReversed() : answer.sent;
    const fresh = ordered.slice(ordered.length - texts.length);
    if (fresh.some((row, at) => row.text !== texts[at])) {
      throw new Error('rows to record that are not the newest of the answer');
    }
    return fresh;
  }

  /** State of a new process, from the recorded rows and the saved scalars alone. */
  restart(): void {
    const scalars = JSON.parse(JSON.stringify(saveRing(this.known)));
    const restored = restoreRing({ recentRows: this.recorded, scalars });
    expect(restored).toEqual(this.known);
    this.known = restored;
    this.lastBody = undefined;
  }
}

describe('reconciliation with a model ring', () => {
  it('flags every row that is missing or duplicated, and no overflow if nothing was lost', () => {
    console.log(`model ring: ${POLLS} polls, seed ${SEED} (HINDSIGHT_MODEL_POLLS, HINDSIGHT_MODEL_SEED)`);
    const counts = new Map<string, number>();
    const perScenario = Math.ceil(POLLS / scenarios.length);
    scenarios.forEach((scenario, index) => runScenario(scenario, perScenario, SEED + index, counts));
    console.table(Object.fromEntries([...counts].sort(([a], [b]) => a.localeCompare(b))));
    // A verdict that contradicts the model throws on the way. Here: every kind of verdict occurred.
    expect([...counts.keys()]).toEqual(expect.arrayContaining(KINDS));
  });

  it('records a gap over every row that came and went unseen, even between polls of an empty list', () => {
    const told = Array.from({ length: 40 }, (_, index) => restartOften(SEED + index, POLLS / 40));
    const [gone, holes, quiet] = [0, 1, 2].map((at) => told.reduce((sum, each) => sum + (each[at] ?? 0), 0));
    expect(gone).toBeGreaterThan(POLLS / 20);
    expect(holes).toBeGreaterThan(POLLS / 20);
    expect(quiet).toBeGreaterThan(POLLS / 20);
  });
});

/**
 * A node that restarts often and writes little, polled with gaps. Some polls prove that its process has lived since the
 * previous one; others do not.
 *
 * @returns rows that were never seen, gaps stated, and polls of an empty list that stated none
 */
function restartOften(seed: number, polls: number): [gone: number, holes: number, quiet: number] {
  const random = seededRandom(seed);
  const pick = (from: number, to: number): number => from + Math.floor(random() * (to - from));
  const node = new ModelRing(0, pick(10, 120), seed % 3 > 0, { share: 0, kind: 'ZERO_TIME' }, random);
  const holes: { readonly from: number; readonly to: number }[] = [];
  const seen = new Set<number>();
  let known = initialRing();
  let [clock, lastLook, provenTo, quiet] = [1_795_000_000_000, -Infinity, -Infinity, 0];
  for (let poll = 0; poll < polls; poll += 1) {
    const elapsedMs = random() < 0.2 ? pick(5_000, 900_000) : pick(500, 5_000);
    const restarts = random() < 0.5 ? pick(0, 4) : 0;
    for (let part = 0; part <= restarts; part += 1) {
      if (part > 0) node.restart();
      const at = clock + (elapsedMs * part) / (restarts + 1);
      node.write(random() < 0.3 ? pick(0, 9) : 0, at, at + elapsedMs / (restarts + 1));
    }
    clock += elapsedMs;
    const wasEmpty = known.windows[0]?.length === 0;
    const isSameProcess = restarts === 0 && random() < 0.5;
    const answer = node.answer();
    const verdict = reconcile(known, { ...answer, isSameProcess });
    if (!('fresh' in verdict)) throw new Error(`not understood: ${JSON.stringify({ seed, poll, verdict })}`);
    for (const row of answer.sent) seen.add(row.truth);
    const isProven = wasEmpty ? isSameProcess : verdict.anchored;
    // Unproven time is stated once something is proven again.
    if (isProven && provenTo < lastLook) holes.push({ from: provenTo, to: lastLook });
    if (verdict.loss) holes.push({ from: provenTo, to: clock });
    else if (wasEmpty && answer.sent.length === 0) quiet += 1;
    if (isProven || verdict.loss) provenTo = clock;
    known = applyVerdict(known, verdict);
    lastLook = clock;
  }
  holes.push({ from: provenTo, to: clock });
  // Rows after the last poll may still be seen.
  const gone = node.entered.filter(({ truth, atMs }) => !seen.has(truth) && atMs <= lastLook);
  const unstated = gone.filter(({ atMs }) => !holes.some(({ from, to }) => atMs > from && atMs <= to));
  if (unstated.length > 0) {
    const [first] = unstated;
    throw new Error(
      `silently lost: ${JSON.stringify({ seed, first, lost: unstated.length, of: gone.length, ring: node.size })}`,
    );
  }
  expect(known.sequence).toBe(seen.size);
  return [gone.length, holes.length, quiet];
}

function runScenario(scenario: Scenario, polls: number, seed: number, counts: Map<string, number>): void {
  const random = seededRandom(seed);
  const pick = (below: number): number => Math.floor(random() * below);
  const nodes = Array.from({ length: scenario.nodes }, (_, node) => {
    return new ModelRing(node, scenario.ringSize, scenario.newestFirst, scenario.equal, random);
  });
  const recorder = new ModelRecorder(scenario.newestFirst);
  let clock = 1_795_000_000_000;
  let answering = 0;
  const said: string[] = [];
  for (let poll = 0; poll < polls; poll += 1) {
    const stepMs = 200 + pick(3_000);
    for (const node of nodes) writeSome(node, scenario, random, clock, clock + stepMs);
    clock += stepMs;
    answering = random() < 0.1 ? pick(scenario.nodes) : answering;
    const node = nodes[answering] ?? nodes[0];
    if (!node) throw new Error('a scenario without nodes');
    const chance = random();
    const isStale = chance < 0.05;
    const isCut = !isStale && chance < 0.1;
    const answer = isStale
      ? node.staleAnswer(1 + pick(3))
      : node.answer(isCut ? pick(scenario.ringSize) : undefined);
    const before = recorder.known;
    const verdict = recorder.poll(answer);
    const kind = verdict?.kind ?? 'same answer';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    said.push(kind);
    const context = { scenario, seed, poll, kind, isStale, isCut, last: said.slice(-5) };
    if (verdict?.kind === 'LOST') countOverflow(before, recorder, context, counts);
    if (!isStale && !isCut) checkUpToDate(node, answering, recorder, verdict, context);
    if (random() < 0.005) recorder.restart();
  }
  checkRecord(recorder, scenario, seed, counts);
}

function writeSome(
  node: ModelRing,
  { isCalm, ringSize }: Scenario,
  random: () => number,
  fromMs: number,
  toMs: number,
): void {
  const chance = random();
  const many =
    chance < 0.4 ? 0 : chance < 0.75 ? 6 : chance < (isCalm ? 0.99 : 0.93) ? ringSize * 0.6 : ringSize * 3;
  const rows = Math.floor(random() * (many + 1));
  if (random() < 0.02) {
    node.write(Math.floor(random() * 5), fromMs, (fromMs + toMs) / 2);
    node.restart();
    node.write(rows, (fromMs + toMs) / 2, toMs);
  } else {
    node.write(rows, fromMs, toMs);
  }
}

/** After an honest whole answer, all that the node ever wrote is recorded, or a gap is. */
function checkUpToDate(
  node: ModelRing,
  index: number,
  recorder: ModelRecorder,
  verdict: Verdict | undefined,
  context: object,
): void {
  const last = recorder.newest.get(index) ?? 0;
  const isFlagged = recorder.known.holeAfter === recorder.recorded.length;
  // A list with an unproven joint may contradict the truth until the ring has moved on; that is reported as well.
  const isContradicted =
    verdict?.kind === 'INVALID' && [...recorder.lossesAfter.values()].flat().includes('AMBIGUOUS');
  // It is unknown whether an empty list still has the same process: that is an open gap.
  const isOpen = recorder.known.windows[0]?.length === 0;
  if (last !== node.truth && !isFlagged && !isContradicted && !isOpen) {
    throw new Error(`not up to date: ${JSON.stringify({ ...context, last, truth: node.truth, verdict })}`);
  }
}

/** An overflow may be stated only if rows were lost, or if nothing in the answer could show that none were. */
function countOverflow(
  before: KnownRing,
  recorder: ModelRecorder,
  answered: { readonly scenario: Scenario; readonly isStale: boolean; readonly last: readonly string[] },
  counts: Map<string, number>,
): void {
  const { scenario, isStale, last } = answered;
  const first = recorder.recorded[before.sequence];
  const isSameNode = (row: ModelRow): boolean => row.node === first?.node;
  const previous = recorder.recorded.slice(0, before.sequence).findLast(isSameNode);
  const lost = (first?.truth ?? 0) - (previous?.truth ?? 0) - 1;
  // A row without a time is equal to others in every list: only a row with a time can be recognised.
  const telling = recorder.recorded.slice(before.sequence).find(({ text }) => findRowTime(text)) ?? first;
  const olderAt = recorder.recorded.findIndex((row) => isSameNode(row) && row.truth === telling?.truth);
  const isKept = before.windows.some((window) => window.rows.includes(telling?.text ?? ''));
  const isFarBack = olderAt < before.sequence && !isKept;
  const causes: [cause: string, isSo: boolean][] = [
    ['lost rows', lost > 0],
    ['first switch', !previous],
    // Not one row was lost, and no known row is left: no list can distinguish that from a loss.
    ['exactly one turn', lost === 0 && recorder.recorded.length - before.sequence === scenario.ringSize],
    ['behind a contradiction', last.includes('INVALID')],
    // Rows from a stated gap: an old answer shows them after all, with a gap before and after them.
    ['late rows', isStale && lost < 0 && olderAt >= before.sequence],
    // Rows beyond the last ones of four lists are recognised by fine timestamps alone, among the last thousand.
    ['old rows, far back', isFarBack && olderAt < before.sequence - 1_000],
    [
      'old rows without fine times',
      scenario.equal.share > 0 && scenario.equal.kind !== 'TIMELESS' && (isStale || isFarBack),
    ],
  ];
  const cause = causes.find(([, isSo]) => isSo)?.[0];
  if (cause === undefined) {
    throw new Error(`overflow without a loss: ${JSON.stringify({ ...answered, lost, previous, first })}`);
  }
  counts.set(`LOST: ${cause}`, (counts.get(`LOST: ${cause}`) ?? 0) + 1);
}

/** Each row is the next unrecorded row of its node, or a gap is recorded before its batch. */
function checkRecord(
  recorder: ModelRecorder,
  scenario: Scenario,
  seed: number,
  counts: Map<string, number>,
): void {
  const seen = new Set<string>();
  const newest = new Map<number, number>();
  recorder.recorded.forEach((row, index) => {
    const last = newest.get(row.node) ?? 0;
    const isDoubled = seen.has(`${row.node}/${row.truth}`);
    const what = isDoubled
      ? 'doubled'
      : row.truth < last
        ? 'late'
        : row.truth > last + 1
          ? 'missing'
          : undefined;
    const losses = recorder.lossesAfter.get(row.after) ?? [];
    // A late row was in a stated gap, until an old answer showed it after all.
    if (what && what !== 'late' && losses.length === 0 && !recorder.turnedAfter.has(row.after)) {
      throw new Error(
        `unflagged: ${JSON.stringify({ what, scenario, seed, sequence: index + 1, row, last })}`,
      );
    }
    if (what && index === row.after) {
      const key = `batch: ${what}, flagged ${losses.join('+')}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    seen.add(`${row.node}/${row.truth}`);
    newest.set(row.node, Math.max(last, row.truth));
  });
}
