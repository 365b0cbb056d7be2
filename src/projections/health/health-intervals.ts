import type { HealthChange } from '../../domain/health/health-fold.js';
import { contradictedMs, contradicts, type HealthInterval } from '../../domain/health/health-intervals.js';
import type { HealthComponent } from '../../domain/health/health-rule.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Query } from '../projection.js';
import { RowVersions, type RowVersion } from '../row-versions.js';

interface IntervalRow {
  readonly node: string;
  readonly component: HealthComponent;
  /** Unix milliseconds. */
  readonly from: number;
  readonly interval?: HealthInterval;
}
type Version = RowVersion<IntervalRow>;

const micros = (ms: number) => BigInt(Math.round(ms * 1000));

const COLUMNS = [
  column('node', 'text', ({ row }: Version) => row.node),
  column('component', 'text', ({ row }: Version) => row.component),
  column('from_at', 'timestamptz', ({ row }: Version) => micros(row.from)),
  column('to_at', 'timestamptz', ({ row }: Version) => microsOrNull(row.interval?.to)),
  column('state', 'text', ({ row }: Version) => row.interval?.state ?? null),
  column('rule', 'text', ({ row }: Version) => row.interval?.rule ?? null),
  column('reason', 'text', ({ row }: Version) => row.interval?.reason ?? null),
  column('claim', 'text', ({ row }: Version) => row.interval?.claim ?? null),
  column('claim_differs', 'bool', ({ row }: Version) =>
    row.interval ? doesClaimDiffer(row.interval) : null,
  ),
  column('differed_ms', 'int8', ({ row }: Version) =>
    BigInt(Math.round(row.interval ? contradictedMs(row.interval) : 0)),
  ),
  column('from_position', 'int8', (version: Version) => version.fromPosition),
  column('to_position', 'int8', (version: Version) => version.toPosition),
];

type Retired = RowVersions<IntervalRow>['retired'][number];

const KEY_COLUMNS = [
  column('node', 'text', ({ row }: Retired) => row.node),
  column('component', 'text', ({ row }: Retired) => row.component),
  column('from_at', 'timestamptz', ({ row }: Retired) => micros(row.from)),
  column('position', 'int8', ({ position }: Retired) => position),
];

/** The rows of `health_interval` that a batch of events changes. */
export class HealthIntervals {
  private readonly versions = new RowVersions<IntervalRow>(
    ({ node, component, from }) => `${component} ${from} ${node}`,
  );

  apply(node: string, change: HealthChange, position: bigint): void {
    const { component } = change;
    if (change.kind === 'drop') this.versions.retire({ node, component, from: change.from }, position);
    else {
      const { interval } = change;
      this.versions.put({ node, component, from: interval.from, interval }, position);
    }
  }

  async write(query: Query): Promise<void> {
    const { retired, inserted } = this.versions;
    if (retired.length > 0) {
      const gone = unnestRows(KEY_COLUMNS, retired, 'gone');
      await query(
        `UPDATE health_interval h SET to_position = gone.position FROM ${gone.sql}
          WHERE h.node = gone.node AND h.component = gone.component AND h.from_at = gone.from_at
            AND h.to_position IS NULL`,
        gone.parameters,
      );
    }
    if (inserted.length > 0) {
      const added = unnestRows(COLUMNS, inserted);
      await query(
        `INSERT INTO health_interval (${added.names}) SELECT ${added.names} FROM ${added.sql}`,
        added.parameters,
      );
    }
  }
}

/** Proven to, not proven to, or (null) nothing to compare. */
function doesClaimDiffer(interval: HealthInterval): boolean | null {
  if (interval.contradicted.length > 0) return true;
  return contradicts(interval.claim, interval.state) === null ? null : false;
}

function microsOrNull(ms: number | null | undefined): bigint | null {
  return ms === null || ms === undefined ? null : micros(ms);
}
