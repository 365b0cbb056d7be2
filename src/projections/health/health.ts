import { ownerOf, type EventType, type RecordedEvent } from '../../domain/events.js';
import { NO_HEALTH, type HealthFold } from '../../domain/health/health-fold.js';
import {
  DEFAULT_THRESHOLDS,
  readThresholds,
  type HealthThresholds,
} from '../../domain/health/health-thresholds.js';
import { foldHealth, HEALTH_EVENTS } from '../../domain/health/health.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import { HealthIntervals } from './health-intervals.js';
import type { Projection, Query } from '../projection.js';

/** What is remembered of a node between batches. */
interface NodeHealth {
  readonly node: string;
  chain: string | null;
  state: HealthFold;
}

const FOLD_COLUMNS = [
  column('node', 'text', (health: NodeHealth) => health.node),
  column('chain', 'text', (health: NodeHealth) => health.chain),
  column('state', 'text', (health: NodeHealth) => JSON.stringify(health.state)),
];

/** The health of every node, as unbroken lines of intervals: what `foldHealth` makes of the log. */
export class HealthProjection implements Projection {
  readonly name = 'health';
  readonly version = 2;
  readonly tables = ['health_interval', 'health_fold', 'health_threshold'];
  readonly handles: readonly EventType[] = [...HEALTH_EVENTS, 'NodeSettingsChanged', 'ChainSettingsChanged'];

  async apply(events: readonly RecordedEvent[], query: Query): Promise<void> {
    const isNodes = (event: RecordedEvent) => event.type !== 'ChainSettingsChanged';
    const nodes = [...new Set(events.filter(isNodes).map(({ stream }) => ownerOf(stream)))];
    const folds = await loadFolds(nodes, query);
    const thresholds = await loadThresholds(query);
    const intervals = new HealthIntervals();
    const changed = new Map<string, Readonly<Record<string, number>>>();
    for (const event of events) {
      if (event.type === 'ChainSettingsChanged') {
        const chain = ownerOf(event.stream);
        changed.set(chain, event.body.thresholds);
        thresholds.set(chain, readThresholds(event.body.thresholds));
        continue;
      }
      const node = ownerOf(event.stream);
      const health = folds.get(node) ?? { node, chain: null, state: NO_HEALTH };
      folds.set(node, health);
      noteChain(health, event);
      const own = thresholds.get(health.chain ?? '') ?? DEFAULT_THRESHOLDS;
      const { state, changes } = foldHealth(health.state, event, own);
      health.state = state;
      for (const change of changes) intervals.apply(node, change, event.position);
    }
    await intervals.write(query);
    await writeFolds([...folds.values()], query);
    await writeThresholds(changed, query);
  }
}

/** The chain that the settings name, else the one that the node does. */
function noteChain(health: NodeHealth, event: RecordedEvent): void {
  if (event.type === 'NodeRegistered' || event.type === 'NodeSettingsChanged') {
    health.chain = event.body.chain ?? health.chain;
  } else if (event.type === 'NodeDescribed') {
    health.chain = event.body.chain ?? health.chain;
  }
}

async function loadFolds(nodes: readonly string[], query: Query): Promise<Map<string, NodeHealth>> {
  const rows = await query<NodeHealth>('SELECT node, chain, state FROM health_fold WHERE node = ANY ($1)', [
    nodes,
  ]);
  return new Map(rows.map((row) => [row.node, row]));
}

async function writeFolds(folds: readonly NodeHealth[], query: Query): Promise<void> {
  if (folds.length === 0) return;
  const { sql, parameters } = unnestRows(FOLD_COLUMNS, folds);
  await query(
    `INSERT INTO health_fold (node, chain, state) SELECT node, chain, state::json FROM ${sql}
     ON CONFLICT (node) DO UPDATE SET chain = excluded.chain, state = excluded.state`,
    parameters,
  );
}

async function loadThresholds(query: Query): Promise<Map<string, HealthThresholds>> {
  const rows = await query<{ chain: string; thresholds: Record<string, number> }>(
    'SELECT chain, thresholds FROM health_threshold',
  );
  return new Map(rows.map(({ chain, thresholds }) => [chain, readThresholds(thresholds)]));
}

async function writeThresholds(
  changed: ReadonlyMap<string, Readonly<Record<string, number>>>,
  query: Query,
): Promise<void> {
  if (changed.size === 0) return;
  await query(
    `INSERT INTO health_threshold (chain, thresholds) SELECT * FROM unnest($1::text[], $2::json[])
     ON CONFLICT (chain) DO UPDATE SET thresholds = excluded.thresholds`,
    [[...changed.keys()], [...changed.values()].map((thresholds) => JSON.stringify(thresholds))],
  );
}
