import type { NodeCounter } from '../../domain/events.js';
import { lowestHeight } from '../../domain/blocks/height-ranges.js';
import type { Millis } from '../../domain/time.js';
import type { P2pStores } from '../../node-api/store.client.js';
import type { NodeAnswer } from '../../node-api/answer.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { BlocksState, LineageState, NodeProgress } from './blocks-state.js';
import type { ChainHead } from './chain-head.js';

/** Progress is written at most this often, */
const EVERY_MS = 60_000;
/** but where blocks begin or cease to wait for submission, this often: health turns on it. */
const EVERY_TURN_MS = 10_000;
/** Shorter than any time between two looks. */
const THIS_LOOK_MS = 1;

/** Keys of the node's metadata, by the names of what is recorded of them. */
const KEYS = {
  daIncluded: 'd',
  lastSubmittedHeader: 'last-submitted-header-height',
  lastSubmittedData: 'last-submitted-data-height',
} as const satisfies Readonly<Record<NodeCounter, string>>;
const COUNTERS = Object.keys(KEYS) as readonly NodeCounter[];

interface CounterReading {
  readonly at: Millis;
  readonly value: bigint | null;
  /** The node said that it has no such key. */
  readonly isLacking: boolean;
}

/** Asks a node for its own book-keeping, and says when that is worth an event. */
export class NodeProgressReader {
  private readonly counters = new Map<NodeCounter, CounterReading>();
  private stores: { at: Millis; value: P2pStores | null } | undefined;

  constructor(private readonly api: NodeApi) {}

  /** Head of the header store as last told, a second witness of that block's hash. */
  get storeHead(): { height: bigint; hash: string } | undefined {
    const head = this.stores?.value?.header?.head;
    return head && head.hash !== '' ? head : undefined;
  }

  /**
   * Reads a node's progress. Each part is asked for as seldom as it matters.
   * @param now when it was looked at; what was told at that time is not asked again
   * @param isFresh whether nothing may be older than this look, as an event has it
   */
  async read(
    head: ChainHead,
    known: LineageState,
    { now, isFresh = false }: { readonly now: Millis; readonly isFresh?: boolean },
    signal: AbortSignal,
  ): Promise<NodeProgress> {
    const counter = async (name: NodeCounter, everyMs: Millis): Promise<string | null> =>
      text(await this.counter(name, isFresh ? THIS_LOOK_MS : everyMs, now, signal));
    const stores = await this.readStores(isFresh ? THIS_LOOK_MS : EVERY_MS, now, signal);
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
    // A counter that the node does not have now is seldom there a moment later.
    if (asked && !isPast(asked.at, asked.value === null ? EVERY_MS : everyMs, now)) return asked.value;
    const answer = await this.api.metadata(KEYS[name], signal);
    const value = valueOf(answer);
    this.counters.set(name, { at: now, value, isLacking: !answer.ok && answer.missing });
    return value;
  }
}

/** Whether progress is to be written now. */
export function isWorthWriting(
  written: BlocksState['progress'],
  progress: NodeProgress,
  now: Millis,
): boolean {
  if (!written) return true;
  const { head } = progress;
  // What was written in the future was written by a clock that has been set back.
  const age = written.at > now ? Infinity : now - written.at;
  // What a reader of the log takes for waiting: blocks it knows of beyond what it was last told to be submitted.
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
