import { ownerOf } from '../../domain/events.js';
import { bookOf, lineOf, NO_HEALTH, type HealthFold } from '../../domain/health/health-fold.js';
import {
  DEFAULT_THRESHOLDS,
  readThresholds,
  type HealthThresholds,
} from '../../domain/health/health-thresholds.js';
import { foldHealth, HEALTH_EVENTS } from '../../domain/health/health.js';
import { isInclusionKnown } from '../../domain/health/shown-finality.js';
import { readRows } from '../../platform/rows/read-rows.js';
import { upsertRows } from '../../platform/rows/write-rows.js';
import { HealthFoldEntity, HealthThresholdEntity } from '../../tables/health.entities.js';
import { ChainMembers } from './chain-members.js';
import { HealthIntervals, IncidentJoins } from './incident-joins.js';
import type { HandledEvent, Projection, Query } from '../projection.js';
import { toChainId } from '../record/facts/chains.js';
import {
  JUDGED_COMPONENTS,
  type HealthComponent,
  type HealthState,
} from '../../domain/health/health-rule.js';
import { formatTime, microsToMillis, millisToNanos, type Micros, type Millis } from '../../domain/time.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';

const HANDLES = [...HEALTH_EVENTS, 'ChainSettingsChanged'] as const;
type HealthEvent = HandledEvent<typeof HANDLES>;

/** The health of every node as gapless intervals, as computed by `foldHealth`, and which troubles form one incident. */
export class HealthProjection implements Projection {
  readonly name = 'health';
  readonly version = 12;
  readonly tables = ['health_interval', 'health_fold', 'health_threshold', 'incident_join', 'last_trouble'];
  readonly handles = HANDLES;

  /** @param tell called with each change right before its commit, and again if the commit fails */
  constructor(private readonly tell?: (news: HealthNews) => void) {}

  async apply(events: readonly HealthEvent[], query: Query): Promise<void> {
    const isNodes = (event: HealthEvent) => event.type !== 'ChainSettingsChanged';
    const nodes = [...new Set(events.filter(isNodes).map(({ stream }) => ownerOf(stream)))];
    const folds = await loadFolds(nodes, query);
    const thresholds = await loadThresholds(query);
    const intervals = new HealthIntervals();
    const joins = new IncidentJoins(query);
    const chains = new ChainMembers(query);
    await chains.add([...folds.values()]);
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
      const health = folds.get(node) ?? { node, chain: null, state: NO_HEALTH, inclusionShown: false };
      folds.set(node, health);
      const before = health.chain;
      noteChain(health, event);
      if (health.chain !== before) {
        await joins.move(node, health.chain);
        await chains.add([health]);
      }
      const own = thresholds.get(health.chain ?? '') ?? DEFAULT_THRESHOLDS;
      const { state, changes } = foldHealth(health.state, event, own, chains.othersOf(health));
      if (this.tell) {
        for (const each of findNews(health, health.state, state, event.recordedAt)) news.push(each);
      }
      health.state = state;
      health.inclusionShown = isInclusionKnown(state.blocks);
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

/** Updates the node's chain from its settings or its own description. */
function noteChain(health: HealthFoldEntity, event: HealthEvent): void {
  if (
    event.type === 'NodeRegistered' ||
    event.type === 'NodeSettingsChanged' ||
    event.type === 'NodeDescribed'
  ) {
    const { chain } = event.body;
    if (chain !== null && chain !== undefined) health.chain = toChainId(chain);
  }
}

async function loadFolds(nodes: readonly string[], query: Query): Promise<Map<string, HealthFoldEntity>> {
  const rows = await readRows(query, HealthFoldEntity, 'WHERE node = ANY ($1)', [nodes]);
  return new Map(rows.map((row) => [row.node, row]));
}

async function loadThresholds(query: Query): Promise<Map<string, HealthThresholds>> {
  const rows = await readRows(query, HealthThresholdEntity);
  return new Map(rows.map(({ chain, thresholds }) => [chain, readThresholds(thresholds)]));
}

export interface HealthNews {
  readonly node: string;
  readonly chain: string | null;
  readonly component: HealthComponent;
  readonly was: HealthState | undefined;
  readonly is: HealthState;
  readonly rule: string;
  readonly reason: string;
  /** Start of the state, and when the event that shows it was recorded. */
  readonly since: Millis;
  readonly recordedAt: Micros;
}

/** Finds the states of a node that an event changed; at most one per component. */
function findNews(
  { node, chain }: Pick<HealthNews, 'node' | 'chain'>,
  before: HealthFold,
  after: HealthFold,
  recordedAt: Micros,
): HealthNews[] {
  return JUDGED_COMPONENTS.flatMap((component) => {
    const was = lineOf(before, component).line?.state;
    const { line } = lineOf(after, component);
    const book = bookOf(after, component);
    if (!line || line.state === was) return [];
    const { state: is, rule, from: since } = line;
    return [{ node, chain, component, was, is, rule, reason: book.open?.reason ?? '', since, recordedAt }];
  });
}

/** Older changes come from a replayed or imported log and are not news. */
const NEWS_FOR_MS = 10 * 60_000;

/**
 * Logs when a node becomes CRITICAL, and when it no longer is. The level is info: it is news about the node, not trouble of
 * this process.
 */
export function logHealth(clock: Clock, logger: Logger): (news: HealthNews) => void {
  return ({ recordedAt, since, was, is, ...rest }) => {
    const { node, component } = rest;
    if ((is === 'CRITICAL') === (was === 'CRITICAL')) return;
    if (clock.now() - microsToMillis(recordedAt) > NEWS_FOR_MS) return;
    const fields = { ...rest, state: is, since: formatTime(millisToNanos(Math.round(since)), 3) };
    logger.info(fields, `${node}: ${component} is ${is}${is === 'CRITICAL' ? '' : ', no longer CRITICAL'}`);
  };
}
