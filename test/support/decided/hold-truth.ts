import type { RecordedEvent } from '../../../src/domain/events.js';
import type { TruePost } from '../random-log.js';
import type { Decided, GroupOutcome, RowOutcome } from './decide-log.js';
import { KnownLog, type KnownRow } from './known-log.js';

/**
 * Compares decisions with the truth, whatever the rules are. Returns one sentence per fault.
 *
 * The truth cannot be known in some cases, which do not count as faults:
 *
 * - A row contradicts its attempt. A row with too little data may be undecided, but never belong to another attempt.
 * - Two batches of a kind are at one DA height.
 * - Nothing distinguishes two attempts.
 * - A node has not named its chain.
 *
 * @param posts all attempts of the chain `made-up`, in their order
 */
export function holdAgainstTruth(
  events: readonly RecordedEvent[],
  posts: readonly TruePost[],
  decided: Decided,
): string[] {
  const log = new KnownLog();
  for (const event of events) log.read(event);
  return new Truth(posts, decided, log).findFaults();
}

/** The chain of the synthetic logs. */
const CHAIN = 'made-up';

class Truth {
  /** The attempt behind each row, by the row's place in the log. */
  private readonly postOf: readonly (TruePost | undefined)[];
  /** Attempts with a row in a list of the chain. */
  private readonly shown: ReadonlySet<TruePost>;
  private readonly vague: ReadonlySet<TruePost>;
  private readonly untrue: ReadonlySet<TruePost>;

  constructor(
    private readonly posts: readonly TruePost[],
    private readonly decided: Decided,
    private readonly log: KnownLog,
  ) {
    const byTime = new Map(posts.map((post) => [post.timestamp, post]));
    const postOf = log.rows.map(({ row }) => byTime.get(row.occurredAtText ?? ''));
    const isOfChain = (at: number) => decided.rows[at]?.chain === CHAIN;
    this.shown = new Set(postOf.filter((post, at) => post !== undefined && isOfChain(at)) as TruePost[]);
    const postsOf = (is: (row: KnownRow, post: TruePost) => boolean) =>
      new Set(postOf.filter((post, at) => post && is(log.rows[at] as KnownRow, post)) as TruePost[]);
    this.vague = postsOf(isVague);
    this.untrue = postsOf(isUntrue);
    this.postOf = postOf;
  }

  findFaults(): string[] {
    return [
      ...this.decided.groups.flatMap((group) => this.faultsOfGroup(group)),
      ...this.decided.rows.flatMap((row, at) =>
        this.faultsOfRow(row, this.log.rows[at] as KnownRow, this.postOf[at]),
      ),
      ...this.decided.losses.flatMap((loss) => this.faultsOfLoss(loss.node, loss.position, loss.min)),
      ...this.faultsOfSums(),
    ];
  }

  /** Groups are not invented: an existing group landed, and a RECONSTRUCTED group was shown by no list. */
  private faultsOfGroup({ chain, kind, daHeight, outcome, heights }: GroupOutcome): string[] {
    if (chain !== CHAIN) return [];
    const there = this.postsAt(kind, daHeight);
    const landed = there.filter((post) => post.hasLanded);
    const name = `${outcome} ${kind} ${daHeight} of ${heights.length} blobs`;
    if (landed.length === 0) return [`${name} was never posted`];
    if (outcome !== 'RECONSTRUCTED' || there.length > 1 || landed.some((post) => this.untrue.has(post)))
      return [];
    return landed.some((post) => this.shown.has(post)) ? [`${name} stands in a list`] : [];
  }

  private faultsOfRow(row: RowOutcome, { row: told }: KnownRow, post: TruePost | undefined): string[] {
    if (!post || this.vague.has(post)) return [];
    const name = `${row.node} ${row.sequence} (${post.kind} ${post.daHeight}${post.hasLanded ? ', landed' : ''}) is`;
    const isAlone = this.posts.filter(({ daHeight }) => daHeight === post.daHeight).length === 1;
    const faults: string[] = [];
    if (isAlone && row.evidence === 'UNREFERENCED' && post.hasLanded && this.isPointedAt(post))
      faults.push(`${name} UNREFERENCED`);
    if (isAlone && row.evidence === 'CONFIRMED' && told.status === 'SUCCESS' && !post.hasLanded)
      faults.push(`${name} CONFIRMED`);
    if (isAlone && (row.kind === 'HEADER' || row.kind === 'DATA') && row.kind !== post.kind)
      faults.push(`${name} of kind ${row.kind}`);
    const isElsewhere =
      told.status !== 'SUCCESS' && row.evidence === 'CONFIRMED' && row.daHeight !== post.daHeight;
    if (isElsewhere && !this.mayBeExchanged(post, row.daHeight ?? 0n))
      faults.push(`${name} at ${row.daHeight}`);
    return faults;
  }

  /**
   * Whether another attempt with the same number of blobs landed there that also failed or that no list shows; or whether several
   * landed.
   */
  private mayBeExchanged(post: TruePost, daHeight: bigint): boolean {
    const there = this.postsAt(post.kind, daHeight);
    const isLike = (other: TruePost) =>
      other.hasLanded && other.blobCount === post.blobCount && !other.isSuccess;
    return there.length > 1 || there.some((other) => isLike(other) || !this.shown.has(other));
  }

  /**
   * A minimum is never higher than the number of posted and never shown attempts; a loss does not name groups that it cannot
   * hold.
   */
  private faultsOfLoss(node: string, position: bigint, min: bigint): string[] {
    const named = this.decided.groups.filter(({ loss }) => loss === position);
    const lost = named.filter(({ kind, daHeight }) =>
      this.postsAt(kind, daHeight).some(
        (post) => post.hasLanded && !post.isElsewhere && (!this.shown.has(post) || this.untrue.has(post)),
      ),
    );
    const isDense = named.some(({ kind, daHeight }) => this.postsAt(kind, daHeight).length > 1);
    return min > BigInt(lost.length) && !isDense
      ? [`loss ${position} of ${node} has ${min}, not ${lost.length}`]
      : [];
  }

  /**
   * Costs are not doubled: a chain counts no more blobs than were ever posted. Rows of one attempt that differ count once here.
   */
  private faultsOfSums(): string[] {
    const paid = new Set(
      this.postOf.filter((post, at) => {
        const row = this.decided.rows[at];
        const isPaid = this.log.rows[at]?.row.status === 'SUCCESS' || row?.evidence === 'CONFIRMED';
        return post && row?.chain === CHAIN && isPaid;
      }),
    );
    const counted = this.decided.groups.filter(({ chain, isCounted }) => chain === CHAIN && isCounted);
    const ofRows = [...paid].reduce((sum, post) => sum + (post?.blobCount ?? 0), 0);
    const all = counted.reduce((sum, { heights }) => sum + heights.length, ofRows);
    const posted = this.posts.filter(({ isSuccess, hasLanded }) => isSuccess || hasLanded);
    const most = posted.reduce((sum, { blobCount }) => sum + blobCount, 0);
    return all > most ? [`${all} blobs are counted, and ${most} were posted`] : [];
  }

  private postsAt(kind: string, daHeight: bigint | null): TruePost[] {
    return this.posts.filter((post) => post.kind === kind && post.daHeight === daHeight);
  }

  /**
   * Whether a shown block of the attempt's own history points to the DA height where it landed: without such a block nothing can
   * be known.
   */
  private isPointedAt(post: TruePost): boolean {
    const shown = this.log.shown.filter(({ history }) => history === `${CHAIN}/${post.lineage}`);
    return shown.some(({ blocks }) =>
      [...blocks.values()].some(
        (block) => (post.kind === 'HEADER' ? block.headerDaHeight : block.dataDaHeight) === post.daHeight,
      ),
    );
  }
}

/** Whether a row contradicts its attempt. */
function isUntrue({ row }: KnownRow, post: TruePost): boolean {
  const isFalse = row.blobCount !== null && row.blobCount !== post.blobCount;
  const isWrong = row.daHeight !== null && row.daHeight !== post.daHeight;
  return isFalse || isWrong;
}

/** Whether a row contradicts its attempt, or has too little data to recognise it. */
function isVague(known: KnownRow, post: TruePost): boolean {
  return isUntrue(known, post) || known.row.sizeBytes === null;
}
