import { ownerOf } from '../../domain/events.js';
import { NO_HEALTH } from '../../domain/health/health-fold.js';
import {
  DEFAULT_THRESHOLDS,
  readThresholds,
  type HealthThresholds,
} from '../../domain/health/health-thresholds.js';
import { foldHealth, HEALTH_EVENTS } from '../../domain/health/health.js';
import { selectList } from '../../platform/rows/row-columns.js';
import { upsertRows } from '../../platform/rows/write-rows.js';
import { HealthFoldEntity } from '../../tables/health/health-fold.entity.js';
import { HealthThresholdEntity } from '../../tables/health/health-threshold.entity.js';
import { HealthIntervals } from './health-intervals.js';
import { IncidentJoins } from './incident-joins.js';
import { findNews, type HealthNews } from './health-news.js';
import type { HandledEvent, Projection, Query } from '../projection.js';

const HANDLES = [...HEALTH_EVENTS, 'NodeSettingsChanged', 'ChainSettingsChanged'] as const;
type Handled = HandledEvent<typeof HANDLES>;

/** The health of every node, as unbroken lines of intervals: what `foldHealth` makes of the log; and which troubles are one incident. */
export class HealthProjection implements Projection {
  readonly name = 'health';
  readonly version = 7;
  readonly tables = ['health_interval', 'health_fold', 'health_threshold', 'incident_join', 'last_trouble'];
  readonly handles = HANDLES;

  /** `tell` hears what became of each node, right before it is committed: again, where that fails. */
  constructor(private readonly tell?: (news: HealthNews) => void) {}

  async apply(events: readonly Handled[], query: Query): Promise<void> {
    const isNodes = (event: Handled) => event.type !== 'ChainSettingsChanged';
    const nodes = [...new Set(events.filter(isNodes).map(({ stream }) => ownerOf(stream)))];
    const folds = await loadFolds(nodes, query);
    const thresholds = await loadThresholds(query);
    const intervals = new HealthIntervals();
    const joins = new IncidentJoins(query);
    const news: HealthNews[] = [];
    const changed = new Map<string, HealthThresholdEntity>();
    for (const event of events) {
      if (event.type === 'ChainSettingsChanged') {
        const chain = ownerOf(event.stream);
        changed.set(chain, { chain, thresholds: event.body.thresholds });
        thresholds.set(chain, readThresholds(event.body.thresholds));
        continue;
      }
      const node = ownerOf(event.stream);
      const health = folds.get(node) ?? { node, chain: null, state: NO_HEALTH };
      folds.set(node, health);
      const before = health.chain;
      noteChain(health, event);
      if (health.chain !== before) await joins.move(node, health.chain);
      const own = thresholds.get(health.chain ?? '') ?? DEFAULT_THRESHOLDS;
      const { state, changes } = foldHealth(health.state, event, own);
      if (this.tell) {
        for (const each of findNews(health, health.state, state, event.recordedAt)) news.push(each);
      }
      health.state = state;
      for (const change of changes) intervals.apply(node, change, event.position);
      const { chain } = health;
      if (event.type === 'NodeRetired' || event.type === 'NodeRegistered')
        await joins.watch(node, chain, event.type === 'NodeRegistered');
      await joins.apply({ node, chain, failure: state.da.lastFailureCode }, changes, event.position);
    }
    await intervals.write(query);
    await joins.write();
    await upsertRows(query, HealthFoldEntity, [...folds.values()]);
    await upsertRows(query, HealthThresholdEntity, [...changed.values()]);
    for (const each of news) this.tell?.(each);
  }
}

/** The chain that the settings name, else the one that the node does. */
function noteChain(health: HealthFoldEntity, event: Handled): void {
  if (
    event.type === 'NodeRegistered' ||
    event.type === 'NodeSettingsChanged' ||
    event.type === 'NodeDescribed'
  ) {
    health.chain = event.body.chain ?? health.chain;
  }
}

async function loadFolds(nodes: readonly string[], query: Query): Promise<Map<string, HealthFoldEntity>> {
  const rows = await query<HealthFoldEntity>(
    `SELECT ${selectList(HealthFoldEntity, 'f')} FROM health_fold f WHERE node = ANY ($1)`,
    [nodes],
  );
  return new Map(rows.map((row) => [row.node, row]));
}

async function loadThresholds(query: Query): Promise<Map<string, HealthThresholds>> {
  const rows = await query<HealthThresholdEntity>(
    `SELECT ${selectList(HealthThresholdEntity, 't')} FROM health_threshold t`,
  );
  return new Map(rows.map(({ chain, thresholds }) => [chain, readThresholds(thresholds)]));
}
