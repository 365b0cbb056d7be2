import { NO_LIST } from '../../domain/submissions/seen-lists.js';
import type { CoverageFoldEntity } from '../../tables/health/coverage-fold.entity.js';

/** A list that is found to be one with a list of another node. */
interface Joined {
  readonly node: string;
  readonly list: number;
  readonly ring: string;
}

/** Which lists of several nodes are the ring of one process: two addresses lead to it. */
export class CoverageRings {
  /** By the digest of the newest row of their list. */
  private readonly byNewestRow = new Map<bigint, Set<string>>();
  readonly joined: Joined[] = [];

  /** @param folds of the nodes at hand, and of those whose newest row one of them may show */
  constructor(private readonly folds: ReadonlyMap<string, CoverageFoldEntity>) {
    for (const { node, newestRow } of folds.values()) this.index(node, newestRow);
  }

  /** @throws Error for a node that is not at hand: a mistake of the caller */
  foldOf(node: string): CoverageFoldEntity {
    const fold = this.folds.get(node);
    if (!fold) throw new Error(`the coverage of ${node} is not at hand`);
    return fold;
  }

  ringOf({ node, rings }: CoverageFoldEntity, list: number | null): string {
    return list === null || list === NO_LIST ? `${node}/-` : (rings[list] ?? `${node}/${list}`);
  }

  /** Rows that a list showed, by their digests, the newest last. */
  note(fold: CoverageFoldEntity, list: number, digests: readonly bigint[]): void {
    for (const digest of digests) {
      for (const node of this.byNewestRow.get(digest) ?? []) {
        if (node !== fold.node) this.join(fold, list, this.foldOf(node));
      }
    }
    const newest = digests.at(-1);
    if (newest === undefined) return;
    this.forget(fold);
    fold.newestRow = newest;
    this.index(fold.node, newest);
  }

  /** The newest row is not of the list that is seen now. */
  forget(fold: CoverageFoldEntity): void {
    if (fold.newestRow !== null) this.byNewestRow.get(fold.newestRow)?.delete(fold.node);
    fold.newestRow = null;
  }

  private index(node: string, digest: bigint | null): void {
    if (digest === null) return;
    const nodes = this.byNewestRow.get(digest);
    if (nodes) nodes.add(node);
    else this.byNewestRow.set(digest, new Set([node]));
  }

  /** Whichever of the two is not one with others yet takes the ring of the other; where both are, they stay apart. */
  private join(fold: CoverageFoldEntity, list: number, other: CoverageFoldEntity): void {
    const otherList = other.state.current;
    if (otherList === null) return;
    const [ring, otherRing] = [this.ringOf(fold, list), this.ringOf(other, otherList)];
    if (ring === otherRing) return;
    if (fold.rings[list] === undefined) this.set(fold, list, otherRing);
    else if (other.rings[otherList] === undefined) this.set(other, otherList, ring);
  }

  private set(fold: CoverageFoldEntity, list: number, ring: string): void {
    const isKept = (kept: string) => fold.state.lists.some((each) => String(each.list) === kept);
    const rings = Object.entries(fold.rings).filter(([kept]) => isKept(kept));
    fold.rings = { ...Object.fromEntries(rings), [list]: ring };
    this.joined.push({ node: fold.node, list, ring });
  }
}
