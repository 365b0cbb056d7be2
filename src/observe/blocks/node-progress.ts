import type { NodeCounter } from '../../domain/events.js';
import { lowestHeight } from '../../domain/blocks/height-ranges.js';
import type { Millis } from '../../domain/time.js';
import type { P2pStores } from '../../node-api/store.client.js';
import type { NodeAnswer } from '../../node-api/answer.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { BlocksState, LineageState, NodeProgress } from './blocks-state.js';
import type { ChainHead } from './chain-head.js';

/** Progress is recorded at most this often, */
const EVERY_MS = 60_000;
/** but where blocks begin or cease to wait for submission, this often: health depends on it. */
const EVERY_TURN_MS = 10_000;
/** Shorter than any pause between two polls. */
const THIS_POLL_MS = 1;

/** The node's metadata keys, by the names under which their values are recorded. */
const KEYS = {
  daIncluded: 'd',
  lastSubmittedHeader: 'last-submitted-header-height',
  lastSubmittedData: 'last-submitted-data-height',
} as const satisfies Readonly<Record<NodeCounter, string>>;
const COUNTERS = Object.keys(KEYS) as readonly NodeCounter[];

interface CounterReading {
  readonly at: Millis;
  readonly value: bigint | null;
  /** The node answered that it has no such key. */
  readonly isLacking: boolean;
}

/** Reads a node's own progress counters and decides when they are worth an event. */
export class NodeProgressReader {
  private readonly counters = new Map<NodeCounter, CounterReading>();
  private stores: { at: Millis; value: P2pStores | null } | undefined;

  constructor(private readonly api: NodeApi) {}

  /** Head of the header store as last reported, a second witness of that block's hash. */
  get storeHead(): { height: bigint; hash: string } | undefined {
    const head = this.stores?.value?.header?.head;
    return head && head.hash !== '' ? head : undefined;
  }

  /**
   * Reads a node's progress. Each part is requested only as often as it matters.
   * @param now time of the poll; values read at that time are not requested again
   * @param isFresh whether no value may be older than this poll, as an event requires
   */
  async read(
    head: ChainHead,
    known: LineageState,
    { now, isFresh = false }: { readonly now: Millis; readonly isFresh?: boolean },
    signal: AbortSignal,
  ): Promise<NodeProgress> {
    const counter = async (name: NodeCounter, everyMs: Millis): Promise<string | null> =>
      text(await this.counter(name, isFresh ? THIS_POLL_MS : everyMs, now, signal));
    const stores = await this.readStores(isFresh ? THIS_POLL_MS : EVERY_MS, now, signal);
    const counters = {
      daIncluded: await counter('daIncluded', EVERY_MS),
      lastSubmittedHeader: await counter('lastSubmittedHeader', EVERY_TURN_MS),
      lastSubmittedData: await counter('lastSubmittedData', EVERY_TURN_MS),
    };
    const lacks = COUNTERS.filter((name) => this.counters.get(name)?.isLacking);
    return {
      head: String(head.height),
      headTimeNs: text(head.timeNs),
      ...counters,
      headerStoreHead: text(stores?.header?.head?.height ?? null),
      oldest: text(stores?.header?.tail?.height ?? null),
      firstPending: text(lowestHeight(known.pending)),
      clockOffsetMs: head.nodeClock === undefined ? null : head.nodeClock - now,
      ...(lacks.length > 0 && { lacks }),
    };
  }

  private async readStores(everyMs: Millis, now: Millis, signal: AbortSignal): Promise<P2pStores | null> {
    if (!this.stores || isPast(this.stores.at, everyMs, now)) {
      const answer = await this.api.p2pStoreInfo(signal);
      this.stores = { at: now, value: valueOf(answer) };
    }
    return this.stores.value;
  }

  private async counter(
    name: NodeCounter,
    everyMs: Millis,
    now: Millis,
    signal: AbortSignal,
  ): Promise<bigint | null> {
    const asked = this.counters.get(name);
    // A counter that the node lacks now rarely appears a moment later.
    if (asked && !isPast(asked.at, asked.value === null ? EVERY_MS : everyMs, now)) return asked.value;
    const answer = await this.api.metadata(KEYS[name], signal);
    const value = valueOf(answer);
    this.counters.set(name, { at: now, value, isLacking: !answer.ok && answer.missing });
    return value;
  }
}

export function isWorthWriting(
  written: BlocksState['progress'],
  progress: NodeProgress,
  now: Millis,
): boolean {
  if (!written) return true;
  const { head } = progress;
  // A record from the future was written by a clock that has since been set back.
  const age = written.at > now ? Infinity : now - written.at;
  // A reader of the log considers blocks waiting if it knows of blocks beyond those last reported as submitted.
  const hasTurned = isWaiting(head, written.body) !== isWaiting(head, progress);
  if (hasTurned && age >= EVERY_TURN_MS) return true;
  return age >= EVERY_MS && hasChanged(written.body, progress);
}

function hasChanged(before: NodeProgress, now: NodeProgress): boolean {
  const comparable = ({ clockOffsetMs: _clock, ...rest }: NodeProgress): string => JSON.stringify(rest);
  return comparable(before) !== comparable(now);
}

function isWaiting(head: string | null, progress: NodeProgress): boolean {
  const { lastSubmittedHeader, lastSubmittedData } = progress;
  const isBeyond = (submitted: string | null): boolean =>
    head !== null && submitted !== null && BigInt(head) > BigInt(submitted);
  return isBeyond(lastSubmittedHeader) || isBeyond(lastSubmittedData);
}

/** The clock may have been set back meanwhile. */
function isPast(at: Millis, everyMs: Millis, now: Millis): boolean {
  return Math.abs(now - at) >= everyMs;
}

function valueOf<T>(answer: NodeAnswer<T>): T | null {
  return answer.ok ? answer.value : null;
}

function text(value: bigint | null): string | null {
  return value === null ? null : String(value);
}
