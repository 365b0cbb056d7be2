import type { ProvenTime } from '../../domain/events.js';
import type { Millis } from '../../domain/time.js';
import type { EventStore } from '../../event-log/event-store.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { Clock } from '../../platform/clock.js';
import { describeNode, type NodeDescription } from './describe-node.js';
import type { NodeStreamState } from './node-registry.js';
import type { ListObservations } from '../submissions/list-observations.js';
import { StreamSession } from '../stream-session.js';
import type { ObservedNode, SubjectObserver } from '../subject-observer.js';

/** A node's description changes with a restart or a change of role; missing answers are requested again sooner. */
const EVERY_MS = 60_000;
const WHILE_INCOMPLETE_MS = 5_000;
/**
 * A new list is noticed this soon, and a poll proves this soon whose answer it was. A node that keeps showing new lists is
 * not asked more often than this.
 */
const CHECK_EVERY_MS = 1_000;
/** A process that has just started may not report its chain yet: only this many answers without a chain count as silence. */
const SILENT_TIMES = 3;
/**
 * An address that alternates between lists cannot prove an answer. If all its processes report the same chain for this
 * long, the answer holds for each of them.
 */
const TURNS_MS = 30_000;

/** The answers of the processes behind an address since its lists began to alternate. */
interface AlternatingLists {
  readonly since: Millis;
  readonly chain: string;
  /** The lists shown since then, with the last run of each. */
  readonly runs: Map<number, ProvenTime>;
}

/** A process's answer, and the run of polls of its list during which it answered. */
interface Answer {
  readonly run: ProvenTime;
  readonly said: NodeDescription;
  readonly answeredAt: Millis;
}

/**
 * Records what a node reports about itself (chain, shape, role, namespaces) whenever any of it changes. A list of
 * submissions belongs to one process, so each list that the node shows is described once more, by an answer that provably
 * comes from its process.
 */
export class NodeDescriptionObserver implements SubjectObserver {
  readonly subject = 'node';
  /** Lists whose process has been described completely. */
  private readonly described = new Set<number>();
  private answer: Answer | undefined;
  private turns: AlternatingLists | undefined;
  private run: ProvenTime | undefined;
  /** The number of answers in which the process of the run has not reported its chain. */
  private silent = 0;
  private dueAt: Millis = -Infinity;

  constructor(
    private readonly parts: {
      readonly node: ObservedNode;
      readonly api: NodeApi;
      readonly store: EventStore;
      readonly clock: Clock;
      readonly observations: Pick<ListObservations, 'currentRun' | 'proveAnswer'>;
      /** Called with the chain that the node reports; null while it is not known. */
      readonly described?: (chain: string | null) => void;
    },
  ) {}

  async poll(signal: AbortSignal): Promise<Millis> {
    const { clock, observations } = this.parts;
    this.noteRun(observations.currentRun);
    await this.prove();
    if (clock.monotonic() >= this.dueAt) await this.ask(signal);
    return CHECK_EVERY_MS;
  }

  /** A new list belongs to a process that has not been asked yet. */
  private noteRun(run: ProvenTime | undefined): void {
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

  /** Records the last answer for its list, once the same list was polled again after the answer. */
  private async prove(): Promise<void> {
    const { answer } = this;
    const seen = answer && this.parts.observations.proveAnswer(answer.run, answer.answeredAt);
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

  /** Records the description for each of the alternating lists, once all answers have named the same chain for long enough. */
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
    for (const shown of runs.values()) {
      if ((await this.record((before) => joinDescriptions(before, said), { ...shown })) === undefined) return;
      this.described.add(shown.list);
    }
    this.answer = undefined;
    this.turns = undefined;
  }

  /**
   * Appends a description, unless it equals the recorded one and proves nothing new.
   * @returns whether it was appended; undefined when another process was first
   */
  private async record(
    describe: (before: NodeDescription | undefined) => NodeDescription,
    seen: ProvenTime | null,
  ): Promise<boolean | undefined> {
    const { node, store, clock } = this.parts;
    // The stream has other writers in this process, so its present end is loaded each time.
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

/** Fills in what a node does not report this time from what it reported before. A node of another chain inherits nothing. */
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
