import { ModelRing, type EqualRows } from '../../../test/support/model-ring.js';
import { seededRandom } from '../../../test/support/seeded-random.js';
import type { Polls, NewEvent, RecordedEvent } from '../events.js';
import { millisToMicros, type Millis } from '../time.js';
import { applyVerdict, initialRing, type KnownRing } from '../submissions/known-ring.js';
import { reconcile } from '../submissions/reconcile-window.js';
import { findWindowAt, reachesBack, type ListHistory, type WindowDoubt } from './window-at.js';
import { carryPollsOnce, eventsOfVerdict } from '../submissions/verdict-events.js';

const POLLS = Number(process.env['HINDSIGHT_WINDOW_POLLS'] ?? 60);
const SEED = Number(process.env['HINDSIGHT_MODEL_SEED'] ?? 20_261_122);

/** The true content of a list from a moment on. */
interface Truth {
  readonly from: Millis;
  readonly texts: readonly string[];
  /** A poll that saw the list whole, and that an event reports. */
  readonly isLook: boolean;
  /**
   * All of its rows are recorded for it. A list that returns after it was forgotten begins again, with the rows that came
   * since.
   */
  readonly isRecorded: boolean;
}

/** A monitored node: its events, and its list at every moment. */
class WatchedRing {
  readonly events: RecordedEvent[] = [];
  readonly quiet: Polls[] = [];
  readonly truths: Truth[] = [];
  clock: Millis = 1_795_000_000_000;
  private known: KnownRing = initialRing();
  private looks: Polls | undefined;
  private lastLook: Millis | null = null;
  private isAvailable: boolean | undefined;

  constructor(private readonly ring: () => ModelRing) {}

  /** Records the list's content from now on. */
  note(isLook = false): void {
    const texts = this.ring().answer().rows;
    const recorded = new Set(this.known.windows[0]?.rows);
    const isRecorded = texts.every((text) => recorded.has(text));
    this.truths.push({ from: this.clock, texts, isLook, isRecorded });
  }

  poll(keep?: number): void {
    const answer = this.ring().answer(keep);
    const verdict = reconcile(this.known, answer);
    const isGood = 'fresh' in verdict;
    if (verdict.kind === 'STALE') return;
    const looks = this.withLook('fresh' in verdict ? verdict.source : undefined);
    const events: NewEvent[] = [];
    if (this.isAvailable !== isGood) {
      const body = { looks, state: isGood ? ('AVAILABLE' as const) : ('INVALID' as const), detail: '' };
      events.push({ type: 'SubmissionSourceChanged', observedAt: this.clock, body });
    }
    events.push(
      ...eventsOfVerdict(verdict, {
        at: this.clock,
        provenTo: this.lastLook,
        isReturn: verdict.kind === 'SWITCHED',
        failingSince: null,
        known: this.known,
        rowsPerSecond: null,
        rows: answer.rows,
        forms: answer.rows,
        originals: {},
        looks,
      }),
    );
    this.record(events, looks);
    this.known = applyVerdict(this.known, verdict);
    this.isAvailable = isGood;
    if (isGood && answer.complete) this.note(events.length > 0);
  }

  refuse(): void {
    const looks = this.withLook();
    const body = { looks, state: 'UNREACHABLE' as const, detail: '' };
    const events: NewEvent[] =
      this.isAvailable === false ? [] : [{ type: 'SubmissionSourceChanged', observedAt: this.clock, body }];
    this.record(events, looks);
    this.isAvailable = false;
  }

  /** Like a node's event that carries polls which no other event carries. */
  tellQuiet(): void {
    if (this.looks) this.quiet.push(this.looks);
    this.looks = undefined;
  }

  private withLook(list?: number): Polls {
    const gap = this.lastLook === null ? 0 : this.clock - this.lastLook;
    const looks = {
      first: this.looks?.first ?? this.clock,
      last: this.clock,
      count: (this.looks?.count ?? 0) + 1,
      longestGapMs: Math.max(this.looks?.longestGapMs ?? 0, gap),
      lists: [
        ...(this.looks?.lists ?? []),
        ...(list === undefined ? [] : [{ list, since: this.clock, last: this.clock }]),
      ],
    };
    this.lastLook = this.clock;
    return looks;
  }

  private record(events: readonly NewEvent[], looks: Polls): void {
    this.looks = events.length === 0 ? looks : undefined;
    for (const event of carryPollsOnce(events)) {
      const at = millisToMicros(event.observedAt);
      const version = BigInt(this.events.length + 1);
      const place = { position: version, stream: 'a/submissions', version, schema: 1, recordedAt: at };
      this.events.push({ ...event, ...place, observedAt: at });
    }
  }

  /** History that a reader would find for a moment: no more of the past than requested. */
  historyAt(at: Millis): ListHistory {
    const end = this.events.findIndex(({ observedAt }) => observedAt > millisToMicros(at));
    const past = end < 0 ? this.events : this.events.slice(0, end);
    const newestFirst: RecordedEvent[] = [];
    for (const event of past.toReversed()) {
      newestFirst.push(event);
      if (reachesBack(newestFirst)) break;
    }
    const quiet = this.quiet.filter(({ last }) => last >= at).slice(0, 1);
    return { events: newestFirst.toReversed(), next: end < 0 ? undefined : this.events[end], quiet };
  }

  truthAt(at: Millis): Truth | undefined {
    return this.truths.findLast(({ from }) => from <= at);
  }
}

interface Scenario {
  readonly ringSize: number;
  readonly newestFirst: boolean;
  readonly share: number;
  readonly kind: EqualRows;
}

const SCENARIOS: Scenario[] = [100, 50, 7].flatMap((ringSize) =>
  [true, false].flatMap((newestFirst) => [
    { ringSize, newestFirst, share: 0, kind: 'ZERO_TIME' as const },
    { ringSize, newestFirst, share: 0.05, kind: 'ZERO_TIME' as const },
    { ringSize, newestFirst, share: 0.3, kind: 'COPIES' as const },
    { ringSize, newestFirst, share: 0.3, kind: 'TWINS' as const },
    { ringSize, newestFirst, share: 0.3, kind: 'TIMELESS' as const },
  ]),
);

function runScenario(scenario: Scenario, seed: number): Map<string, number> {
  const { ringSize, newestFirst, share, kind } = scenario;
  const random = seededRandom(seed);
  const pick = (below: number): number => Math.floor(random() * below);
  const nodes = [0, 1].map((node) => new ModelRing(node, ringSize, newestFirst, { share, kind }, random));
  let answering = 0;
  const watched = new WatchedRing(() => nodes[answering] as ModelRing);
  const start = watched.clock;
  for (let poll = 0; poll < POLLS; poll += 1) {
    const moves = 1 + pick(3);
    for (let move = 0; move < moves; move += 1) {
      const from = watched.clock;
      watched.clock += 50 + pick(1_000);
      for (const node of nodes) {
        const chance = random();
        if (chance < 0.005) node.restart();
        if (chance < 0.4) node.write(1 + pick(chance < 0.03 ? 3 * ringSize : 5), from, watched.clock);
      }
      watched.note();
    }
    // The node that answers changes only with a poll: without a request, no node showed anything.
    if (random() < 0.1) answering = 1 - answering;
    watched.note();
    const chance = random();
    // The first answers come whole, as nothing reveals a truncated one until another shows more.
    if (chance < 0.04) watched.refuse();
    else watched.poll(chance < 0.1 && poll > 3 && newestFirst ? pick(ringSize) : undefined);
    if (random() < 0.2) watched.tellQuiet();
  }
  return check(watched, { start, pick, scenario, seed });
}

/** Start of a run, and how to repeat it. */
interface Checked {
  readonly start: Millis;
  readonly pick: (below: number) => number;
  readonly scenario: Scenario;
  readonly seed: number;
}

function check(watched: WatchedRing, { start, pick, scenario, seed }: Checked): Map<string, number> {
  const context = { scenario, seed };
  const doubts = new Map<string, number>();
  const moments = watched.truths.flatMap(({ from }) => [from, from + pick(600)]);
  for (const at of [start - 1, ...moments]) {
    const shown = findWindowAt(millisToMicros(at), watched.historyAt(at));
    const truth = watched.truthAt(at);
    const name: WindowDoubt | 'proven' = shown.doubt ?? 'proven';
    doubts.set(name, (doubts.get(name) ?? 0) + 1);
    // A poll at that moment is proof enough, except for rows that it may have missed, or that equal others.
    const isSeen = truth?.isLook === true && truth.from === at;
    const mayLack = scenario.share > 0 || truth?.isRecorded === false;
    if (isSeen && ![null, 'HOLE', ...(mayLack ? ['INCOMPLETE'] : [])].includes(shown.doubt))
      throw new Error(`called ${shown.doubt}: ${JSON.stringify({ context, at: at - start })}`);
    if (shown.doubt !== null) continue;
    const texts = shown.rows.map(({ text }) => text);
    if (JSON.stringify(texts) !== JSON.stringify(truth?.texts))
      throw new Error(`not what was shown: ${JSON.stringify({ context, at: at - start, texts, truth })}`);
  }
  return doubts;
}

describe('the list as a node was showing it', () => {
  it('is reported as incomplete if the next poll shows more rows in front of the recorded ones', () => {
    const node = new ModelRing(0, 100, true, { share: 0, kind: 'ZERO_TIME' }, seededRandom(SEED));
    const watched = new WatchedRing(() => node);
    node.write(20, watched.clock - 20_000, watched.clock);
    watched.poll(5);
    const at = watched.clock;
    const doubtAt = (): WindowDoubt | null => findWindowAt(millisToMicros(at), watched.historyAt(at)).doubt;
    expect(doubtAt()).toBeNull();
    watched.clock += 1_000;
    node.write(1, at, watched.clock);
    watched.poll();
    expect(doubtAt()).toBe('INCOMPLETE');
  });

  it('keeps rows that were recorded in the wrong order before anything had shown the direction', () => {
    const node = new ModelRing(0, 100, true, { share: 0, kind: 'ZERO_TIME' }, seededRandom(SEED));
    const watched = new WatchedRing(() => node);
    // Two rows of one DA block, of which the earlier one entered the list later.
    node.write(1, watched.clock - 300, watched.clock - 200);
    node.write(1, watched.clock - 500, watched.clock - 400);
    watched.poll();
    for (const count of [2, 1]) {
      watched.clock += 2_000;
      node.write(count, watched.clock - 1_000, watched.clock);
      watched.poll();
    }
    const { rows, doubt } = findWindowAt(millisToMicros(watched.clock), watched.historyAt(watched.clock));
    expect(doubt).toBeNull();
    expect(rows.map(({ text }) => text)).toEqual(node.answer().rows);
    expect(rows.map(({ sequence }) => sequence)).toEqual([5, 4, 3, 1, 2]);
  });

  it('is what a model of the ring showed, row for row, wherever it is reported as proven', () => {
    const counts = new Map<string, number>();
    SCENARIOS.forEach((scenario, index) => {
      for (const [name, count] of runScenario(scenario, SEED + index))
        counts.set(name, (counts.get(name) ?? 0) + count);
    });
    for (const name of ['proven', 'NOT_SEEN', 'AWAY', 'HOLE', 'BETWEEN_LOOKS'])
      expect([name, (counts.get(name) ?? 0) > 0]).toEqual([name, true]);
  });
});
