import type { DaySpending } from '../../domain/byte-budget.js';
import type { DaNodeEvents, DaToken, NewEvent } from '../../domain/events.js';
import type { Millis } from '../../domain/time.js';
import type { ConsensusHead } from '../../node-api/consensus-api.js';
import type { DaHead, DaNodeApi, DaSampling } from '../../node-api/da-node-api.js';
import type { RpcAnswer } from '../../node-api/json-rpc.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { samePoll } from '../poll-book.js';
import type { SeeingObserver } from '../subject-observer.js';
import type { RecorderParts } from '../subject-recorder.js';
import { BalanceWatch, newestBalances, type KnownBalances } from './balance-watch.js';
import type { ConsensusWatch } from './consensus-watch.js';
import { endOf, isAsKnown, SystemRecorder } from './system-recorder.js';

type Changed = Omit<DaNodeEvents['DaNodeChanged'], 'looks'>;
type Head = Omit<DaNodeEvents['DaHeadObserved'], 'looks'>;

/** The facts that were recorded last. */
interface DaNodeState {
  readonly changed?: Pick<Changed, 'outcome' | 'statusCode' | 'token'>;
  readonly head?: Head;
  readonly balances?: KnownBalances;
  readonly spent?: DaySpending;
}

/** The answers of one poll. */
export interface DaNodeAnswers {
  readonly head: RpcAnswer<DaHead>;
  readonly syncTo?: RpcAnswer<bigint>;
  readonly sampling?: RpcAnswer<DaSampling>;
  readonly token: DaToken | null;
}

export interface DaNodeParts extends RecorderParts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Polls the DA node, or shares the answers of another node's poll. */
  readonly ask: (signal: AbortSignal, freshMs: Millis) => Promise<DaNodeAnswers>;
  readonly daNode: DaNodeApi;
  /** Empty: the DA node's own account. */
  readonly accounts: readonly string[];
  readonly consensus: ConsensusWatch | undefined;
}

/** Records whether the DA node answers, its head, and the balances of the accounts that pay for submissions. */
export class DaNodeObserver implements SeeingObserver {
  readonly subject = 'daNode';
  hasSeen = false;
  private readonly recorder: SystemRecorder<DaNodeState>;
  private readonly balances: BalanceWatch;

  constructor(private readonly parts: DaNodeParts) {
    this.recorder = new SystemRecorder('daNode', parts);
    this.balances = new BalanceWatch({ ...parts, consensus: parts.consensus?.api });
  }

  async poll(signal: AbortSignal): Promise<Millis> {
    const state = (await this.recorder.load()) ?? {};
    const { pace } = this.recorder;
    const answers = await this.parts.ask(signal, pace.everyMs / 2);
    const daChain = answers.head.ok ? answers.head.value.chain : state.head?.chain;
    const { logger } = this.parts;
    const consensus = this.parts.consensus?.next({ daChain, freshMs: pace.everyMs / 2, logger }, signal);
    const ended = endOf(answers.head);
    this.hasSeen = answers.head.ok;
    if (signal.aborted || ended === undefined) return pace.everyMs;
    const now = this.parts.clock.now();
    const changed: Changed = { ...ended, token: answers.token };
    const head = headOf(answers, consensus);
    pace.learn(state.head, head);
    if (this.hasSeen || consensus) this.balances.start(pace.everyMs, consensus, signal);
    const balances = this.balances.take(state.balances ?? {}, now);
    const { outcome, statusCode, token } = changed;
    return this.recorder.record({
      at: now,
      outcome,
      news: newsOf(state, changed, head, now),
      apart: balances.map((body) => ({ type: 'BalanceObserved', observedAt: now, body })),
      state: () => ({
        ...state,
        changed: { outcome, statusCode, token },
        ...(head && { head }),
        balances: newestBalances(state.balances ?? {}, balances, now),
      }),
    });
  }
}

function newsOf(state: DaNodeState, changed: Changed, head: Head | undefined, now: Millis): NewEvent[] {
  const looks = samePoll(now);
  const news: NewEvent[] = [];
  if (!isAsKnown(state.changed, changed))
    news.push({ type: 'DaNodeChanged', observedAt: now, body: { looks, ...changed } });
  if (head !== undefined && !isAsKnown(state.head, head))
    news.push({ type: 'DaHeadObserved', observedAt: now, body: { looks, ...head } });
  return news;
}

function headOf(
  { head, syncTo, sampling }: DaNodeAnswers,
  consensus: ConsensusHead | undefined,
): Head | undefined {
  if (!head.ok) return undefined;
  const { chain, height, timeNs } = head.value;
  const samples = sampling?.ok ? sampling.value : undefined;
  return {
    chain,
    height: String(height),
    timeNs: String(timeNs),
    syncTo: syncTo?.ok ? String(syncTo.value) : null,
    sampling: samples ? { ...samples, head: String(samples.head) } : null,
    consensus: consensus ? { height: String(consensus.height), timeNs: String(consensus.timeNs) } : null,
  };
}
