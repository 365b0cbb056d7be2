import { toEstimate, toMicros } from '../domain/bounds.js';
import { entryOf } from '../domain/collections.js';
import { ownerOf } from '../domain/events.js';
import { foldCoverage, NO_COVERAGE, type Stretch } from '../domain/coverage/list-coverage.js';
import { digestOfRow } from '../domain/submissions/recorded-row.js';
import { NO_LIST } from '../domain/coverage/observations.js';
import { findRowTime } from '../domain/submissions/submission-row.js';
import { readRows } from '../platform/rows/read-rows.js';
import { upsertRows } from '../platform/rows/write-rows.js';
import { CoverageFoldEntity, CoverageIntervalEntity } from '../tables/health.entities.js';
import type { HandledEvent, Projection, Query } from './projection.js';

/** A list that turned out to be the same as a list of another node. */
interface Joined {
  readonly node: string;
  readonly list: number;
  readonly ring: string;
}

/** Recognises lists of several nodes that are the ring of one process, reached through several addresses. */
class CoverageRings {
  /** The nodes by the digest of the newest row of their list. */
  private readonly byNewestRow = new Map<bigint, Set<string>>();
  readonly joined: Joined[] = [];

  /** @param folds the loaded nodes, including those whose newest row one of the others may show */
  constructor(private readonly folds: ReadonlyMap<string, CoverageFoldEntity>) {
    for (const { node, newestRow } of folds.values()) this.index(node, newestRow);
  }

  /** @throws Error for a node that was not loaded, which is a mistake of the caller */
  foldOf(node: string): CoverageFoldEntity {
    const fold = this.folds.get(node);
    if (!fold) throw new Error(`the coverage of ${node} is not at hand`);
    return fold;
  }

  ringOf({ node, rings }: CoverageFoldEntity, list: number | null): string {
    return list === null || list === NO_LIST ? `${node}/-` : (rings[list] ?? `${node}/${list}`);
  }

  /** Compares rows that a list showed, given by their digests, newest last. */
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

  /** Forgets the newest row, because another list is seen now. */
  forget(fold: CoverageFoldEntity): void {
    if (fold.newestRow !== null) this.byNewestRow.get(fold.newestRow)?.delete(fold.node);
    fold.newestRow = null;
  }

  private index(node: string, digest: bigint | null): void {
    if (digest !== null) entryOf(this.byNewestRow, digest, () => new Set()).add(node);
  }

  /** Gives a list that has no joined ring yet the ring of the other; two lists that both have joined rings stay separate. */
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

const HANDLES = [
  'NodeRetired',
  'NodeWatched',
  'SubmissionsObserved',
  'SubmissionWindowLost',
  'SubmissionRingReset',
  'SubmissionOverlapAmbiguous',
  'SubmissionHistoryMissing',
  'SubmissionRingSwitched',
  'SubmissionSourceChanged',
] as const;
type Handled = HandledEvent<typeof HANDLES>;

/** For which times it is proven that no row of a node's lists was missed, as computed by `foldCoverage`. */
export class CoverageProjection implements Projection {
  readonly name = 'coverage';
  readonly version = 4;
  readonly tables = ['coverage_interval', 'coverage_fold'];
  readonly handles = HANDLES;

  async apply(events: readonly Handled[], query: Query): Promise<void> {
    const digests = events.map(digestsOfRows);
    const folds = await loadFolds(
      [...new Set(events.map(({ stream }) => ownerOf(stream)))],
      digests.flat(),
      query,
    );
    const rings = new CoverageRings(folds);
    const changed = new Map<string, CoverageIntervalEntity>();
    events.forEach((event, index) => {
      const node = ownerOf(event.stream);
      const fold = rings.foldOf(node);
      const { state, changed: stretches } = foldCoverage(fold.state, event);
      if (state.current !== fold.state.current) rings.forget(fold);
      fold.state = state;
      fold.lookedAt = state.lookedAt === null ? null : toMicros(state.lookedAt);
      for (const stretch of stretches) {
        changed.set(`${node} ${stretch.number}`, toRow(node, stretch, rings.ringOf(fold, stretch.list)));
      }
      if (event.type === 'SubmissionsObserved') rings.note(fold, event.body.source, digests[index] ?? []);
    });
    await upsertRows(query, CoverageIntervalEntity, [...changed.values()]);
    await upsertRows(query, CoverageFoldEntity, [...folds.values()]);
    for (const { node, list, ring } of rings.joined) {
      await query('UPDATE coverage_interval SET ring = $3 WHERE node = $1 AND list = $2', [node, list, ring]);
    }
  }
}

/**
 * How many of the newest rows are compared. Another node with the same list is polled about as often, so one of the two
 * shows the other's newest row among its new ones.
 */
const COMPARED_ROWS = 8;

/** Digests of the newest rows, only where their time is finer than a second: two processes never write the same such row. */
function digestsOfRows(event: Handled): bigint[] {
  if (event.type !== 'SubmissionsObserved') return [];
  const newest = event.body.rows.slice(-COMPARED_ROWS);
  return newest.filter((text) => findRowTime(text)?.isFine).map(digestOfRow);
}

function toRow(node: string, stretch: Stretch, ring: string): CoverageIntervalEntity {
  const { number, kind, list, from, to, until, isUnstated, after } = stretch;
  return {
    node,
    number,
    kind,
    list: kind === 'LIST' || kind === 'HOLE' ? list : null,
    ring,
    fromAt: toMicros(from),
    toAt: toMicros(to),
    untilAt: until === null ? null : toMicros(until),
    unstated: isUnstated,
    afterSequence: toEstimate(after) ?? 0n,
  };
}

/** Loads the folds of the nodes, and of other nodes whose newest row is among the digests. */
async function loadFolds(
  nodes: readonly string[],
  digests: readonly bigint[],
  query: Query,
): Promise<Map<string, CoverageFoldEntity>> {
  const which = 'WHERE node = ANY ($1) OR newest_row = ANY ($2::bigint[])';
  const rows = await readRows(query, CoverageFoldEntity, which, [nodes, digests.map(String)]);
  const folds = new Map(rows.map((row) => [row.node, row]));
  for (const node of nodes) {
    if (!folds.has(node)) {
      folds.set(node, { node, state: NO_COVERAGE, rings: {}, newestRow: null, lookedAt: null });
    }
  }
  return folds;
}
