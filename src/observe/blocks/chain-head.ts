import { HIGHEST_HEIGHT } from '../../domain/bounds.js';
import type { Millis, Nanos } from '../../domain/time.js';
import type { Contact, NodeAnswer, Refused } from '../../node-api/answer.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { Clock } from '../../platform/clock.js';

/** The newest block that a node says it has. */
export interface ChainHead {
  readonly height: bigint;
  readonly timeNs: Nanos | null;
  readonly chainId: string | null;
  /** The chain's first height. Null here and above where the node does not report the value. */
  readonly initialHeight: bigint | null;
  readonly nodeClock?: Millis;
}

type HeadMethod = (known: bigint, signal: AbortSignal) => Promise<NodeAnswer<ChainHead>>;

/** A way that the node does not offer is tried again after this long: the node may have been updated. */
const RETRY_MS = 600_000;
/** Finds the head of a node, and the lowest block above a gap, by whatever methods the node offers. */
export class ChainHeadFinder {
  /** When each way was last found unsupported, in monotonic milliseconds. */
  private readonly refusedAt = new Map<HeadMethod, number>();
  private readonly ways: readonly HeadMethod[];

  constructor(
    private readonly api: NodeApi,
    private readonly clock: Clock,
  ) {
    this.ways = [
      (known, signal) => this.byState(known, signal),
      (known, signal) => this.byStores(known, signal),
      (known, signal) => this.byLatest(known, signal),
      (known, signal) => this.byStatus(known, signal),
      (known, signal) => this.bySearch(known, signal),
    ];
  }

  /**
   * Returns the head that the node's state reports, else its P2P stores, its newest block or its status. Else it searches
   * for the head by requesting ever higher blocks.
   *
   * @param known a height that the node has or had; 0 if no height is known
   */
  async find(known: bigint, signal: AbortSignal): Promise<NodeAnswer<ChainHead>> {
    let last: NodeAnswer<ChainHead> | undefined;
    for (const way of this.ways) {
      const refusedAt = this.refusedAt.get(way);
      if (refusedAt !== undefined && this.clock.monotonic() - refusedAt < RETRY_MS) continue;
      last = await way(known, signal);
      if (last.ok || last.state === 'UNREACHABLE' || last.state === 'ABORTED') return last;
      if (last.state === 'NOT_SUPPORTED') this.refusedAt.set(way, this.clock.monotonic());
    }
    if (last) return last;
    this.refusedAt.clear();
    return this.find(known, signal);
  }

  /**
   * The lowest block that the node gives above a height that it does not give: the oldest block of its P2P store, if the
   * node gives that block, else found by search. Null when the node does not give its head either.
   */
  async findNext(missing: bigint, head: bigint, signal: AbortSignal): Promise<bigint | null> {
    const stores = await this.api.p2pStoreInfo(signal);
    const tail = stores.ok ? stores.value.header?.tail?.height : undefined;
    if (tail !== undefined && tail > missing && tail <= head && (await this.gives(tail, signal))) {
      if (!(await this.gives(tail - 1n, signal))) return tail;
    }
    if (!(await this.gives(head, signal))) return null;
    // Search from below, so that the result is the nearest block above the gap and not the end of a later one.
    let low = missing;
    let high = low + 1n;
    for (let step = 1n; high < head && !(await this.gives(high, signal)); step *= 2n) {
      low = high;
      high = low + step < head ? low + step : head;
    }
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      if (await this.gives(middle, signal)) high = middle;
      else low = middle;
    }
    return high;
  }

  private async byState(_known: bigint, signal: AbortSignal): Promise<NodeAnswer<ChainHead>> {
    const answer = await this.api.state(signal);
    if (!answer.ok) return answer;
    const { lastBlockHeight, lastBlockTimeNs: timeNs, chainId, initialHeight } = answer.value;
    return headOf(answer, lastBlockHeight, { timeNs, chainId: chainId || null, initialHeight });
  }

  private async byStores(_known: bigint, signal: AbortSignal): Promise<NodeAnswer<ChainHead>> {
    const answer = await this.api.p2pStoreInfo(signal);
    if (!answer.ok) return answer;
    const end = answer.value.header?.head;
    return end ? headOf(answer, end.height, { timeNs: end.timeNs }) : notTold(answer);
  }

  private async byLatest(_known: bigint, signal: AbortSignal): Promise<NodeAnswer<ChainHead>> {
    const answer = await this.api.block('latest', signal);
    if (!answer.ok) return answer;
    const { height, timeNs, chainId } = answer.value.header;
    return height > HIGHEST_HEIGHT ? notTold(answer) : headOf(answer, height, { timeNs, chainId });
  }

  private async byStatus(_known: bigint, signal: AbortSignal): Promise<NodeAnswer<ChainHead>> {
    const status = await this.api.status(signal);
    const contact = { status: null, latencyMs: 0 };
    if (!status || status.latestHeight === null) return notTold(contact);
    const { latestHeight, chainId, nodeClock } = status;
    return headOf({ ...contact, ...(nodeClock !== undefined && { nodeClock }) }, latestHeight, { chainId });
  }

  /** Doubles the step until a block is missing, then bisects. */
  private async bySearch(known: bigint, signal: AbortSignal): Promise<NodeAnswer<ChainHead>> {
    let low = known > 0n ? known : 1n;
    let first = await this.api.block({ height: low }, signal);
    if (!first.ok && first.missing && low > 1n) {
      low = 1n;
      first = await this.api.block({ height: low }, signal);
    }
    if (!first.ok) return first;
    let step = 1n;
    while (await this.has(low + step, signal)) {
      low += step;
      step *= 2n;
    }
    for (let high = low + step; high - low > 1n;) {
      const middle = (low + high) / 2n;
      if (await this.has(middle, signal)) low = middle;
      else high = middle;
    }
    return headOf(first, low);
  }

  /** Whether the node gives a block that can be read. */
  async gives(height: bigint, signal: AbortSignal): Promise<boolean> {
    return !signal.aborted && (await this.api.block({ height }, signal)).ok;
  }

  private async has(height: bigint, signal: AbortSignal): Promise<boolean> {
    // Bounded, because a node that answers every height with a block would keep this search going forever.
    if (height < 0n || height > HIGHEST_HEIGHT || signal.aborted) return false;
    const answer: NodeAnswer<unknown> = await this.api.block({ height }, signal);
    // A block that cannot be read exists all the same.
    return answer.ok || (answer.state === 'INVALID' && answer.status === 200);
  }
}

function headOf(
  { status, latencyMs, nodeClock }: Contact,
  height: bigint,
  told: Partial<ChainHead> = {},
): NodeAnswer<ChainHead> {
  const clock = nodeClock === undefined ? {} : { nodeClock };
  const value = { height, timeNs: null, chainId: null, initialHeight: null, ...told, ...clock };
  return { ok: true, value, status, latencyMs, ...clock };
}

function notTold({ status, latencyMs }: Contact): Refused {
  const detail = 'the node does not report it';
  return { ok: false, state: 'NOT_SUPPORTED', detail, missing: false, status, latencyMs };
}
