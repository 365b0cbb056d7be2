import type { SeenStretch } from '../../domain/events.js';
import type { Millis } from '../../domain/time.js';
import type { EventStore } from '../../event-log/event-store.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { Clock } from '../../platform/clock.js';
import type { ListAtHand, ListRun } from '../list-at-hand.js';
import { describeNode, type NodeDescription } from './describe-node.js';
import type { NodeStreamState } from './node-registry.js';
import { StreamSession } from '../stream-session.js';
import type { ObservedNode, SubjectObserver } from '../subject-observer.js';

/** What a node says of itself changes with a restart or a change of role; missing answers are asked for sooner. */
const EVERY_MS = 60_000;
const WHILE_INCOMPLETE_MS = 5_000;
/** A new list, or the poll that proves whose an answer was, is noticed so soon. A node that shows ever new lists is asked no more often. */
const CHECK_EVERY_MS = 1_000;
/** A process that has just begun may not say its chain yet: so often it is asked before that counts as silence. */
const SILENT_TIMES = 3;
/** An address that shows several lists in turn proves no answer. What all its processes have said for so long is said by each of them. */
const TURNS_MS = 30_000;

/** What processes behind an address said since its lists began to take turns. */
interface Turns {
  readonly since: Millis;
  readonly chain: string;
  /** The lists that were shown meanwhile, and the last run of each. */
  readonly runs: Map<number, ListRun>;
}

/** What a process answered, and the run of polls of its list that it was asked in. */
interface Answer {
  readonly run: ListRun;
  readonly said: NodeDescription;
  readonly answeredAt: Millis;
}

/**
 * Records what a node tells of itself (chain, shape, role, namespaces) whenever any of it changes. A list of submissions is of one
 * process: each list that the node shows is described once more, by an answer that is proven to be of its process.
 */
export class NodeDescriptionObserver implements SubjectObserver {
  readonly subject = 'node';
  /** Lists whose process has said all that is recorded. */
  private readonly described = new Set<number>();
  private answer: Answer | undefined;
  private turns: Turns | undefined;
  private run: ListRun | undefined;
  /** How often the process of the run has not said its chain. */
  private silent = 0;
  private dueAt: Millis = -Infinity;

  constructor(
    private readonly parts: {
      readonly node: ObservedNode;
      readonly api: NodeApi;
      readonly store: EventStore;
      readonly clock: Clock;
      readonly listAtHand: ListAtHand;
      /** Told the node's chain, by what it says; null while that is not known. */
      readonly described?: (chain: string | null) => void;
    },
  ) {}

  async look(signal: AbortSignal): Promise<Millis> {
    const { clock, listAtHand } = this.parts;
    this.noteRun(listAtHand.current);
    await this.prove();
    if (clock.monotonic() >= this.dueAt) await this.ask(signal);
    return CHECK_EVERY_MS;
  }

  /** A new list is of a process that was not asked yet. */
  private noteRun(run: ListRun | undefined): void {
    if (run === this.run || run === undefined) return;
    const isBack = this.run !== undefined && run.list !== this.run.list && this.described.has(run.list);
    this.run = run;
    this.answer = undefined;
    this.silent = 0;
    if (isBack) return;
    this.described.delete(run.list);
    this.parts.api.forgetMissing();
    this.dueAt = -Infinity;
  }

  private async ask(signal: AbortSignal): Promise<void> {
    const { node, api, clock } = this.parts;
    const { run } = this;
    const said = await describeNode(api, node, signal);
    if (signal.aborted) return;
    if (said.chain === null) this.silent += 1;
    const isWhole = said.chain !== null || this.silent >= SILENT_TIMES;
    const isNews = await this.record((before) => joinDescriptions(before, said), null);
    if (isNews === undefined) return;
    if (isNews) this.described.clear();
    const isDescribed = run !== undefined && this.described.has(run.list);
    if (run && isWhole && !isDescribed) this.answer = { run, said, answeredAt: clock.now() };
    await this.takeTurn(said);
    const isComplete = said.chain !== null && said.shape !== null && said.aggregator !== null;
    this.dueAt = clock.monotonic() + (isComplete ? EVERY_MS : WHILE_INCOMPLETE_MS);
  }

  /** Records the last answer as that of the process of the list, once the list was seen again. */
  private async prove(): Promise<void> {
    const { answer } = this;
    const seen = answer && this.parts.listAtHand.prove(answer.run, answer.answeredAt);
    if (!answer || !seen) return;
    const { said } = answer;
    const written = await this.record(
      (before) => ({ ...joinDescriptions(before, said), chain: said.chain }),
      seen,
    );
    if (written === undefined) return;
    this.described.add(seen.list);
    this.answer = undefined;
    this.turns = undefined;
  }

  /** Records for each list that took turns what all answers have said meanwhile. */
  private async takeTurn(said: NodeDescription): Promise<void> {
    const { run, parts } = this;
    const { chain } = said;
    if (run === undefined || chain === null || this.described.has(run.list)) {
      if (chain === null || chain !== this.turns?.chain) this.turns = undefined;
      return;
    }
    const now = parts.clock.now();
    if (this.turns?.chain !== chain) this.turns = { since: now, chain, runs: new Map() };
    const { since, runs } = this.turns;
    runs.set(run.list, run);
    if (now - since < TURNS_MS || runs.size < 2) return;
    for (const { list, since: first, askedAt } of runs.values()) {
      const seen = { list, since: first, last: askedAt };
      if ((await this.record((before) => joinDescriptions(before, said), seen)) === undefined) return;
      this.described.add(list);
    }
    this.answer = undefined;
    this.turns = undefined;
  }

  /**
   * Appends a description, unless it says what is recorded already and proves no more.
   * @returns whether it was appended; undefined when another process was first
   */
  private async record(
    describe: (before: NodeDescription | undefined) => NodeDescription,
    seen: SeenStretch | null,
  ): Promise<boolean | undefined> {
    const { node, store, clock } = this.parts;
    // The stream has other writers in this process, so its end is read as it is now.
    const session = new StreamSession<NodeStreamState>(store, `${node.id}/node`);
    const { state } = await session.load();
    const described = describe(state?.described);
    this.parts.described?.(described.chain);
    if (seen === null && state?.namesLists && JSON.stringify(described) === JSON.stringify(state.described))
      return false;
    const event = { type: 'NodeDescribed', observedAt: clock.now(), body: { ...described, seen } } as const;
    const isWon = await session.append([event], { ...state, described, namesLists: true });
    return isWon ? true : undefined;
  }
}

/**
 * What a node does not say this time is what it said before: silence takes nothing back. But another chain's node has said
 * nothing before.
 */
function joinDescriptions(before: NodeDescription | undefined, now: NodeDescription): NodeDescription {
  const isOther =
    now.chain !== null && before?.chain !== null && before?.chain !== undefined && now.chain !== before.chain;
  const known = isOther ? undefined : before;
  return {
    chain: now.chain ?? known?.chain ?? null,
    servicePrefix: now.servicePrefix ?? known?.servicePrefix ?? null,
    shape: now.shape ?? known?.shape ?? null,
    aggregator: now.aggregator ?? known?.aggregator ?? null,
    headerNamespace: now.headerNamespace ?? known?.headerNamespace ?? null,
    dataNamespace: now.dataNamespace ?? known?.dataNamespace ?? null,
  };
}
