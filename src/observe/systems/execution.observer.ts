import type { DaySpending } from '../../domain/byte-budget.js';
import type { ExecutionEvents, NewEvent } from '../../domain/events.js';
import type { Millis } from '../../domain/time.js';
import type { ExecutionApi, ExecutionBlock } from '../../node-api/execution-api.js';
import type { RpcAnswer } from '../../node-api/json-rpc.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { Clock } from '../../platform/clock.js';
import { samePoll } from '../poll-book.js';
import type { SeeingObserver } from '../subject-observer.js';
import type { RecorderParts } from '../subject-recorder.js';
import { ExecutionComparison, type RollupState } from './execution-comparison.js';
import { endOf, isAsKnown, SystemRecorder } from './system-recorder.js';

type Changed = Omit<ExecutionEvents['ExecutionChanged'], 'looks'>;
type Head = Omit<ExecutionEvents['ExecutionHeadObserved'], 'looks'>;

/** The facts that were recorded last. */
interface ExecutionState {
  readonly changed?: Pick<Changed, 'outcome' | 'statusCode' | 'client' | 'chainId'>;
  readonly head?: Head;
  /** The rollup node's last state: the node itself may stop over a difference. */
  readonly rollup?: RollupState;
  /** The highest height at which both agreed. */
  readonly agreed?: string;
  readonly spent?: DaySpending;
}

export interface ExecutionParts extends RecorderParts {
  readonly clock: Clock;
  readonly api: NodeApi;
  readonly execution: ExecutionApi;
}

const NANOS_PER_SECOND = 1_000_000_000n;

/** Records whether the execution layer answers, and whether it is in step with its rollup node. */
export class ExecutionObserver implements SeeingObserver {
  readonly subject = 'execution';
  hasSeen = false;
  private readonly recorder: SystemRecorder<ExecutionState>;

  constructor(private readonly parts: ExecutionParts) {
    this.recorder = new SystemRecorder('execution', parts);
  }

  async poll(signal: AbortSignal): Promise<Millis> {
    const state = (await this.recorder.load()) ?? {};
    const { pace } = this.recorder;
    // The node first: its execution layer executes a block before the node stores it.
    const own = await this.parts.api.state(signal);
    const latest = await this.parts.execution.block('latest', signal);
    const changed = await this.describe(latest, state.changed, signal);
    this.hasSeen = changed?.outcome === 'OK';
    if (changed === undefined) return pace.everyMs;
    const present: RollupState | undefined =
      own.ok && own.value.lastBlockHeight > 0n
        ? { height: String(own.value.lastBlockHeight), appHash: own.value.appHash.toLowerCase() }
        : undefined;
    const block = latest.ok ? latest.value : null;
    const head = block ? await this.compare(block, present, state, signal) : undefined;
    if (signal.aborted) return pace.everyMs;
    pace.learn(state.head, head);
    const now = this.parts.clock.now();
    const { outcome, statusCode, client, chainId } = changed;
    const isInStep = head?.compared && head.compared.stateRoot === head.compared.appHash;
    return this.recorder.record({
      at: now,
      outcome,
      news: newsOf(state, changed, head, now),
      state: () => ({
        ...state,
        changed: { outcome, statusCode, client, chainId },
        ...(head && { head }),
        ...(present && { rollup: present }),
        ...(isInStep && { agreed: head.compared.height }),
      }),
    });
  }

  /** The end of the poll; undefined if it saw nothing. A client that answers again is asked for its name. */
  private async describe(
    latest: RpcAnswer<ExecutionBlock | null>,
    known: ExecutionState['changed'],
    signal: AbortSignal,
  ): Promise<Changed | undefined> {
    const ended = endOf(latest);
    if (ended === undefined) return undefined;
    const names = { client: known?.client ?? null, chainId: known?.chainId ?? null };
    if (latest.ok && latest.value === null)
      return { ...ended, outcome: 'INVALID', detail: 'it has no block', ...names };
    if (!latest.ok || known?.outcome === 'OK') return { ...ended, ...names };
    const { execution } = this.parts;
    const [client, chainId] = await Promise.all([execution.client(signal), execution.chainId(signal)]);
    return {
      ...ended,
      client: client.ok ? client.value : null,
      chainId: chainId.ok ? String(chainId.value) : null,
    };
  }

  /** @param present the rollup node's state; of a node that is gone, its last state is compared */
  private async compare(
    block: ExecutionBlock,
    present: RollupState | undefined,
    state: ExecutionState,
    signal: AbortSignal,
  ): Promise<Head> {
    const rollup = present ?? state.rollup;
    const comparison = new ExecutionComparison(this.parts.execution, this.parts.api, signal);
    const compared = rollup === undefined ? null : await comparison.atHead(block, rollup);
    const isDifferent = compared !== null && compared.stateRoot !== compared.appHash;
    let first = isDifferent ? (state.head?.firstDifference ?? null) : null;
    // Only where they agreed before: another executor has other roots from the beginning.
    if (isDifferent && first === null && state.agreed !== undefined)
      first = await comparison.firstDifference(BigInt(compared.height), BigInt(state.agreed));
    return {
      height: String(block.number),
      hash: block.hash,
      timeNs: String(block.timestamp * NANOS_PER_SECOND),
      // A node that is gone may have more blocks by now.
      rollupHeight: present?.height ?? null,
      compared,
      firstDifference: first,
    };
  }
}

function newsOf(state: ExecutionState, changed: Changed, head: Head | undefined, now: Millis): NewEvent[] {
  const looks = samePoll(now);
  const news: NewEvent[] = [];
  if (!isAsKnown(state.changed, changed))
    news.push({ type: 'ExecutionChanged', observedAt: now, body: { looks, ...changed } });
  if (head !== undefined && !isAsKnown(state.head, head))
    news.push({ type: 'ExecutionHeadObserved', observedAt: now, body: { looks, ...head } });
  return news;
}
