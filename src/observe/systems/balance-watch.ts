import type { DaNodeEvents } from '../../domain/events.js';
import { MOST_ACCOUNTS } from '../../domain/health/da-node-facts.js';
import { nanosToMillis, type Millis, type Nanos } from '../../domain/time.js';
import type { ConsensusApi, ConsensusHead } from '../../node-api/consensus-api.js';
import type { DaNodeApi } from '../../node-api/da-node-api.js';
import type { Clock } from '../../platform/clock.js';

type Balance = DaNodeEvents['BalanceObserved'];

/** A balance as recorded, and when. */
interface KnownBalance extends Balance {
  readonly at: Millis;
}

/** By account. */
export type KnownBalances = Readonly<Record<string, KnownBalance>>;

/** A balance costs a proven query to the consensus node. */
const POLLS_PER_BALANCE = 3;
/** A balance that does not change is recorded again after this time: it shows that nothing was spent. */
const AGAIN_MS: Millis = 3_600_000;
/** A DA block takes seconds: a node with an older head may be behind its network. */
const FRESH_MS: Millis = 60_000;

/**
 * Reads the balances of the accounts while polls go on: the DA node takes up to 38 s to say that it cannot, and that delays
 * nothing else.
 */
export class BalanceWatch {
  private found: Balance[] = [];
  private isReading = false;
  private readAt: Millis = -Infinity;

  constructor(
    private readonly parts: {
      readonly daNode: DaNodeApi;
      /** Asked first: it names the height of a balance. */
      readonly consensus?: ConsensusApi | undefined;
      readonly accounts: readonly string[];
      readonly clock: Clock;
    },
  ) {}

  /**
   * Starts to read all balances, unless that is under way or was done lately.
   * @param head of the consensus node, if that is of the same DA chain
   */
  start(everyMs: Millis, head: ConsensusHead | undefined, signal: AbortSignal): void {
    const now = this.parts.clock.monotonic();
    if (this.isReading || now - this.readAt < POLLS_PER_BALANCE * everyMs) return;
    this.isReading = true;
    this.readAt = now;
    // No call throws; a poll never waits for a balance.
    void this.read(head, signal).finally(() => {
      this.isReading = false;
    });
  }

  /** The balances that were read since the last call, and that say something new. */
  take(known: KnownBalances, now: Millis): readonly Balance[] {
    const found = this.found;
    this.found = [];
    return found.filter((balance) => isNews(balance, known[balance.account], now));
  }

  private async read(head: ConsensusHead | undefined, signal: AbortSignal): Promise<void> {
    for (const account of await this.accounts(signal)) {
      const balance =
        (await this.readExact(account, head, signal)) ?? (await this.readFromDaNode(account, signal));
      if (signal.aborted) return;
      if (balance) this.found.push(balance);
    }
  }

  /** Undefined if the answer says nothing of the balance. */
  private async readFromDaNode(account: string, signal: AbortSignal): Promise<Balance | undefined> {
    const { daNode } = this.parts;
    const before = await daNode.head(signal);
    const balance = await daNode.balance(account, signal);
    if (!balance.ok) {
      // Only these say something of the consensus node: an error of the method, or no answer for the whole time.
      if (balance.outcome !== 'FAILED' && balance.outcome !== 'UNREACHABLE') return undefined;
      if (balance.outcome === 'UNREACHABLE' && !(await daNode.head(signal)).ok) return undefined;
      return { account, amount: null, height: null, detail: balance.detail };
    }
    const after = await daNode.head(signal);
    // A balance is of the state that the network's head was built on: one height below. It is not known which while the head
    // moves, or while the DA node may be behind the network.
    const isStill = before.ok && after.ok && before.value.height === after.value.height;
    const height = isStill && this.isFresh(after.value.timeNs) ? String(after.value.height - 1n) : null;
    return { account, amount: String(balance.value), height, detail: '' };
  }

  /** Undefined without a consensus node that answers and is in step. */
  private async readExact(
    account: string,
    head: ConsensusHead | undefined,
    signal: AbortSignal,
  ): Promise<Balance | undefined> {
    const { consensus } = this.parts;
    if (consensus === undefined || head === undefined || !this.isFresh(head.timeNs)) return undefined;
    const { height } = head;
    const balance = await consensus.balance(account, height, signal);
    return balance.ok
      ? { account, amount: String(balance.value), height: String(height), detail: '' }
      : undefined;
  }

  private isFresh(timeNs: Nanos): boolean {
    return this.parts.clock.now() - nanosToMillis(timeNs) <= FRESH_MS;
  }

  private async accounts(signal: AbortSignal): Promise<readonly string[]> {
    if (this.parts.accounts.length > 0) return this.parts.accounts;
    const address = await this.parts.daNode.address(signal);
    return address.ok ? [address.value] : [];
  }
}

/** Whether a balance says more than the one that was recorded last, `now` in ms since 1970. */
export function isNews(balance: Balance, before: KnownBalance | undefined, now: Millis): boolean {
  if (before === undefined || now - before.at >= AGAIN_MS) return true;
  return before.amount !== balance.amount && !isOlder(balance, before);
}

/** Whether a balance may be of an earlier height than one before: servers behind one address have different heads. */
function isOlder(balance: Balance, before: Balance): boolean {
  if (balance.amount === null || before.amount === null || before.height === null) return false;
  return balance.height === null || BigInt(balance.height) < BigInt(before.height);
}

/** The balances that were read last. Of many accounts only the newest are kept: a DA node may name another one each time. */
export function newestBalances(known: KnownBalances, read: readonly Balance[], at: Millis): KnownBalances {
  const all = { ...known, ...Object.fromEntries(read.map((body) => [body.account, { ...body, at }])) };
  const ordered = Object.entries(all).toSorted(([, a], [, b]) => b.at - a.at);
  return Object.fromEntries(ordered.slice(0, MOST_ACCOUNTS));
}
