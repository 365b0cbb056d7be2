import { toEstimate, toInt64, toMicros } from '../../domain/bounds.js';
import { ownerOf } from '../../domain/events.js';
import { foldCoverage, NO_COVERAGE, type Stretch } from '../../domain/submissions/list-coverage.js';
import { findRowTime } from '../../domain/submissions/submission-row.js';
import { selectList } from '../../platform/rows/row-columns.js';
import { upsertRows } from '../../platform/rows/write-rows.js';
import { CoverageFoldEntity } from '../../tables/health/coverage-fold.entity.js';
import { CoverageIntervalEntity } from '../../tables/health/coverage-interval.entity.js';
import type { HandledEvent, Projection, Query } from '../projection.js';
import { CoverageRings } from './coverage-rings.js';

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

/** Of which times it is proven that no row of a node's lists was missed: what `foldCoverage` makes of the log. */
export class CoverageProjection implements Projection {
  readonly name = 'coverage';
  readonly version = 4;
  readonly tables = ['coverage_interval', 'coverage_fold'];
  readonly handles = HANDLES;

  async apply(events: readonly Handled[], query: Query): Promise<void> {
    const times = events.map(timesOfRows);
    const folds = await loadFolds(
      [...new Set(events.map(({ stream }) => ownerOf(stream)))],
      times.flat(),
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
      if (event.type === 'SubmissionsObserved') rings.note(fold, event.body.source, times[index] ?? []);
    });
    await upsertRows(query, CoverageIntervalEntity, [...changed.values()]);
    await upsertRows(query, CoverageFoldEntity, [...folds.values()]);
    for (const { node, list, ring } of rings.joined) {
      await query('UPDATE coverage_interval SET ring = $3 WHERE node = $1 AND list = $2', [node, list, ring]);
    }
  }
}

/** Another node that shows the same list is looked at about as often: one of the two shows the newest row of the other as new. */
const COMPARED_ROWS = 8;
const MILLISECOND_NS = 1_000_000n;

/** Of the newest rows, where finer than a millisecond: two processes never write a row at the same one. */
function timesOfRows(event: Handled): bigint[] {
  if (event.type !== 'SubmissionsObserved') return [];
  return event.body.rows.slice(-COMPARED_ROWS).flatMap((text) => {
    const ns = findRowTime(text)?.ns ?? 0n;
    return ns % MILLISECOND_NS !== 0n && toInt64(ns) === ns ? [ns] : [];
  });
}

function toRow(node: string, stretch: Stretch, ring: string): CoverageIntervalEntity {
  const { number, kind, list, from, to, until, isUnstated, after } = stretch;
  return {
    node,
    number,
    kind,
    list,
    ring,
    fromAt: toMicros(from),
    toAt: toMicros(to),
    untilAt: until === null ? null : toMicros(until),
    unstated: isUnstated,
    afterSequence: toEstimate(after) ?? 0n,
  };
}

/** Those of nodes, and of others whose newest row bears one of these times. */
async function loadFolds(
  nodes: readonly string[],
  times: readonly bigint[],
  query: Query,
): Promise<Map<string, CoverageFoldEntity>> {
  const rows = await query<CoverageFoldEntity>(
    `SELECT ${selectList(CoverageFoldEntity, 'f')} FROM coverage_fold f
      WHERE node = ANY ($1) OR newest_row_ns = ANY ($2::bigint[])`,
    [nodes, times.map(String)],
  );
  const folds = new Map(rows.map((row) => [row.node, row]));
  for (const node of nodes) {
    if (!folds.has(node)) {
      folds.set(node, { node, state: NO_COVERAGE, rings: {}, newestRowNs: null, lookedAt: null });
    }
  }
  return folds;
}
