import type { RecordedEvent } from '../../../src/domain/events.js';
import type { TruePost } from '../random-log.js';
import type { Fault } from './fault.js';
import type { Held, HeldGroup, HeldRow } from './held.js';
import { isAlike, ruleOf } from './judge.js';
import { readLog, type KnownLog } from './known-log.js';

/**
 * What is held against what truly happened, whatever the rules are: nothing is reconstructed that was never posted or was
 * recorded, no minimum is higher than what was lost, nothing that landed is paid for nothing.
 *
 * @param log up to what is held
 * @param posts all attempts of the chain, in their order
 * @param chain whose they are
 */
export function holdAgainstTruth(
  log: readonly RecordedEvent[],
  posts: readonly TruePost[],
  held: Held,
  chain: string,
): Fault[] {
  return new Truth(readLog(log), posts, held, chain).judge();
}

class Truth {
  /** Attempts that some node's list showed, with the row. */
  private readonly shown = new Map<TruePost, string>();
  /** Attempts of which a row said what is not true. */
  private readonly mistold = new Set<TruePost>();
  private readonly shownAt = new Map<string, bigint>();
  private readonly postOf = new Map<string, TruePost>();
  private readonly rows: ReadonlyMap<string, HeldRow>;
  private readonly faults: Fault[] = [];

  constructor(
    private readonly known: KnownLog,
    private readonly posts: readonly TruePost[],
    private readonly held: Held,
    private readonly chain: string,
  ) {
    this.rows = new Map(held.rows.map((row) => [`${row.node} ${row.sequence}`, row]));
    const byTime = new Map(posts.map((post) => [post.timestamp, post]));
    for (const node of known.nodes.values()) {
      for (const { row, sequence, position } of node.rows) {
        const post = byTime.get(row.occurredAtText ?? '');
        if (!post) continue;
        // A row that says what is not true is not told from others.
        const isOfCount = row.blobCount === null || row.blobCount === post.blobCount;
        if (!isOfCount || (row.daHeight !== null && row.daHeight !== post.daHeight)) {
          this.mistold.add(post);
          continue;
        }
        const name = `${node.id} ${sequence}`;
        this.postOf.set(name, post);
        this.shownAt.set(name, position);
        if (!this.shown.has(post)) this.shown.set(post, name);
      }
    }
  }

  judge(): Fault[] {
    const wrong = new Set(this.held.groups.filter((group) => this.isWrong(group)));
    for (const row of this.held.rows) this.judgeRow(row);
    this.judgeLosses(wrong);
    return this.faults;
  }

  /** Whether it is, or may be, something that was recorded; a fault where that is certain. */
  private isWrong(group: HeldGroup): boolean {
    const { lineage, kind, daHeight, blobCount } = group;
    if (!lineage.startsWith(`${this.chain}/`)) return false;
    const all = this.posts.filter((post) => post.kind === kind && post.daHeight === daHeight);
    const landed = all.filter((post) => post.hasLanded);
    const lost = landed.filter((post) => !this.shown.has(post));
    const most = lost.reduce((sum, post) => sum + post.blobCount, 0);
    const name = `${lineage} ${kind} ${daHeight}`;
    if (landed.length === 0) {
      this.faults.push({ rule: 'GROUP', text: `${name} is reconstructed, and was never posted` });
      return true;
    }
    // Which of several attempts at one place landed is not told where one of them failed, or some did not.
    if (blobCount <= most) return false;
    if (all.length > 1 && all.some((post) => !post.isSuccess || !post.hasLanded)) return true;
    const rule = this.ruleOf(landed, group);
    if (!rule) return true;
    this.faults.push({
      rule,
      text: `${name} is reconstructed with ${blobCount} blobs, and ${most} were lost`,
    });
    return true;
  }

  /** Undefined: its rows are of nodes that have named no chain, so nobody can know. */
  private ruleOf(landed: readonly TruePost[], group: HeldGroup): Fault['rule'] | undefined {
    const names = landed.flatMap((post) => this.shown.get(post) ?? []);
    const rules = names.flatMap((name) => {
      const row = this.rows.get(name);
      return row ? [row.chain === '' ? undefined : ruleOf(row, group, this.shownAt.get(name) ?? 0n)] : [];
    });
    if (rules.length > 0 && rules.every((rule) => rule === undefined)) return undefined;
    return rules.find((rule) => rule !== undefined && rule !== 'SUCCESS') ?? 'SUCCESS';
  }

  private judgeRow(row: HeldRow): void {
    const { node, sequence, status, evidence, kind, daHeight, lineage } = row;
    const post = this.postOf.get(`${node} ${sequence}`);
    if (!post) return;
    const name = `${node} ${sequence} (${post.kind} ${post.daHeight}, ${post.hasLanded ? '' : 'not '}landed)`;
    const isToldApart = kind === 'HEADER' || kind === 'DATA';
    const isAlone = !this.posts.some(
      (other) =>
        other !== post && other.daHeight === post.daHeight && (!isToldApart || other.kind === post.kind),
    );
    if (isAlone && evidence === 'UNREFERENCED' && post.hasLanded && this.isPointedAt(post)) {
      const isHere = lineage === `${this.chain}/${post.lineage}`;
      this.faults.push({ rule: isHere ? 'EVIDENCE' : 'HISTORY', text: `${name} is UNREFERENCED` });
    }
    if (isAlone && evidence === 'CONFIRMED' && !post.hasLanded && status === 'SUCCESS') {
      this.faults.push({ rule: 'EVIDENCE', text: `${name} is CONFIRMED` });
    }
    if (isToldApart && kind !== post.kind)
      this.faults.push({ rule: 'KIND', text: `${name} is taken for ${kind}` });
    if (status === 'SUCCESS' || evidence !== 'CONFIRMED' || daHeight === post.daHeight) return;
    const isLost = this.posts.some(
      (other) =>
        other.daHeight === daHeight && (!isToldApart || other.kind === post.kind) && !this.shown.has(other),
    );
    if (!isLost && !this.isExchanged(row))
      this.faults.push({ rule: 'FAILURE', text: `${name} is CONFIRMED at ${daHeight}` });
  }

  /** Whether the failure that landed there is told from the row by nothing, and where that one stands is not known yet. */
  private isExchanged(row: HeldRow): boolean {
    return this.held.rows.some((other) => {
      const post = this.postOf.get(`${other.node} ${other.sequence}`);
      const isThere = post?.hasLanded === true && post.daHeight === row.daHeight;
      return isThere && other.status !== 'SUCCESS' && other.evidence !== 'CONFIRMED' && isAlike(other, row);
    });
  }

  /** Whether a block of its own history was shown to be where it landed: else nobody can know. */
  private isPointedAt(post: TruePost): boolean {
    return this.known.blocks.some(
      ({ lineage, blocks }) =>
        lineage === `${this.chain}/${post.lineage}` &&
        [...blocks.values()].some(
          ({ headerDa, dataDa }) => (post.kind === 'HEADER' ? headerDa : dataDa) === post.daHeight,
        ),
    );
  }

  /** Attempts that were made between the rows around a loss and never shown: no minimum may be higher. */
  private judgeLosses(wrong: ReadonlySet<HeldGroup>): void {
    for (const { node, position, minLost } of this.held.losses) {
      const loss = this.known.losses.find((each) => each.position === position);
      const owner = this.known.nodes.get(node);
      // What was lost of another chain nobody wrote down.
      if (!loss || !owner?.chains.some(({ chain }) => chain === this.chain)) continue;
      const named = this.held.groups.filter((group) => group.loss === position && wrong.has(group)).length;
      const proven = Number(minLost) - named;
      if (proven <= Number(loss.minLost)) continue;
      const places = owner.rows.flatMap(({ sequence }) => {
        const post = this.postOf.get(`${node} ${sequence}`);
        return post ? [{ sequence, at: this.posts.indexOf(post) }] : [];
      });
      const told = owner.rows.filter(({ row }) => row.status === 'SUCCESS' && row.daHeight !== null);
      const last = told.findLast(({ sequence }) => sequence <= loss.after);
      const next = told.find(({ sequence }) => sequence > loss.after);
      const from = places.findLast(({ sequence }) => sequence <= loss.after)?.at ?? -1;
      const to = places.find(({ sequence }) => sequence > loss.after)?.at ?? this.posts.length;
      const isWithin = ({ daHeight }: TruePost) =>
        daHeight >= (last?.row.daHeight ?? 0n) && daHeight <= (next?.row.daHeight ?? daHeight);
      // That a row beside the hole is of what was posted there nobody can tell where it says something else.
      const lost = this.posts.filter(
        (post, at) =>
          post.hasLanded &&
          !this.shown.has(post) &&
          (this.mistold.has(post) ? isWithin(post) : at > from && at < to),
      ).length;
      if (proven <= lost) continue;
      const isOneOfSeveral = this.known.losses.some(
        (other) =>
          other !== loss &&
          other.node === node &&
          other.after >= (last?.sequence ?? 0) &&
          other.after < (next?.sequence ?? Infinity),
      );
      const rule = isOneOfSeveral ? 'LOSS_OF_SEVERAL' : 'LOSS';
      this.faults.push({ rule, text: `loss ${position} of ${node}: at least ${proven}, and ${lost} were` });
    }
  }
}
