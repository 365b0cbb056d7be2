import type { HealthChange } from '../../domain/health/health-fold.js';
import type { HealthComponent } from '../../domain/health/health-rule.js';
import {
  causeOf,
  foldTrouble,
  type FirstSign,
  type LastTrouble,
} from '../../domain/health/joined-trouble.js';
import type { FailureCode } from '../../domain/submissions/failure-cause.js';
import { readRows } from '../../platform/rows/read-rows.js';
import { RowVersions, type Content } from '../../platform/rows/row-versions.js';
import { upsertRows } from '../../platform/rows/write-rows.js';
import { IncidentJoinEntity, LastTroubleEntity, HealthIntervalEntity } from '../../tables/health.entities.js';
import type { Query } from '../projection.js';
import { contradictedMs, contradicts, type RuleInterval } from '../../domain/health/health-intervals.js';
import type { Micros, Millis } from '../../domain/time.js';

export interface ChangedNode {
  readonly node: string;
  readonly chain: string | null;
  /** The failure code of its latest failed attempt; null if there is none. */
  readonly failure: FailureCode | null;
}

type IncidentJoin = Content<IncidentJoinEntity>;
type IncidentRoot = Pick<IncidentJoin, 'rootNode' | 'component' | 'rootFromAt'>;

/** Joins troubles to incidents: maintains the rows of `incident_join` that a batch changes. */
export class IncidentJoins {
  private readonly known = new Map<string, LastTroubleEntity>();
  private readonly changed = new Set<LastTroubleEntity>();
  private readonly loadedChains = new Set<string>();
  private readonly joined: IncidentJoin[] = [];
  private readonly versions = new RowVersions(IncidentJoinEntity, ['node', 'component', 'fromAt']);

  constructor(private readonly query: Query) {}

  async apply(changed: ChangedNode, changes: readonly HealthChange[], position: bigint): Promise<void> {
    for (const change of changes) {
      if (change.kind === 'drop' || change.interval.to === null) await this.enter(changed, change, position);
    }
  }

  async move(node: string, chain: string | null): Promise<void> {
    await this.load(node, chain);
  }

  /** Notes that the node is retired, or observed again. */
  async watch(node: string, chain: string | null, isWatched: boolean): Promise<void> {
    const own = await this.load(node, chain);
    if (own.retired === !isWatched) return;
    own.retired = !isWatched;
    this.changed.add(own);
  }

  async write(): Promise<void> {
    await this.versions.write(this.query);
    await upsertRows(this.query, LastTroubleEntity, [...this.changed]);
  }

  private async enter(
    { node, chain, failure }: ChangedNode,
    change: HealthChange,
    position: bigint,
  ): Promise<void> {
    const own = await this.load(node, chain);
    const { component } = change;
    const others = chain === null ? [] : this.troublesOf(component, chain, node);
    const cause = change.kind === 'drop' ? null : causeOf(change.interval.rule, failure);
    const before = own.state[component];
    const { trouble, begun, gone } = foldTrouble(before, node, change, { others, cause, chain });
    if (gone) await this.takeBack(gone, component, position);
    if (trouble === before) return;
    own.state = { ...own.state, [component]: trouble };
    this.changed.add(own);
    if (!begun || !trouble) return;
    const { root, from } = trouble;
    if (root.node === node && root.from === from) return;
    const [fromAt, rootFromAt] = [toTableMicros(from), toTableMicros(root.from)];
    const join = { node, component, fromAt, rootNode: root.node, rootFromAt };
    this.joined.push(join);
    this.versions.put(join, position);
  }

  /**
   * Withdraws a trouble that turned out never to have happened. It leaves its incident, and every trouble that was joined
   * to it becomes an incident of its own, however old.
   */
  private async takeBack(
    { node, from }: FirstSign,
    component: HealthComponent,
    position: bigint,
  ): Promise<void> {
    const rootFromAt = toTableMicros(from);
    this.versions.retire({ node, component, fromAt: rootFromAt }, position);
    for (const join of await this.joinsOf({ rootNode: node, component, rootFromAt }))
      this.versions.retire(join, position);
    for (const each of this.known.values()) {
      const trouble = each.state[component];
      if (each.node === node || trouble?.root.node !== node || trouble.root.from !== from) continue;
      each.state = {
        ...each.state,
        [component]: { ...trouble, root: { node: each.node, from: trouble.from } },
      };
      this.changed.add(each);
    }
  }

  /** The joins to a root, from the table and from this batch. */
  private async joinsOf(root: IncidentRoot): Promise<Pick<IncidentJoin, 'node' | 'component' | 'fromAt'>[]> {
    const { rootNode, component, rootFromAt } = root;
    const written = await this.query<Pick<IncidentJoin, 'node' | 'component' | 'fromAt'>>(
      `SELECT node, component, from_at AS "fromAt" FROM incident_join
        WHERE root_node = $1 AND component = $2 AND root_from_at = timestamptz 'epoch' + $3::bigint * interval '1 microsecond' AND to_position IS NULL`,
      [rootNode, component, rootFromAt],
    );
    const isOfIt = (join: IncidentJoin): boolean =>
      join.rootNode === rootNode && join.component === component && join.rootFromAt === rootFromAt;
    return [...written, ...this.joined.filter(isOfIt)];
  }

  private troublesOf(component: HealthComponent, chain: string, but: string): LastTrouble[] {
    return [...this.known.values()].flatMap((each) => {
      const trouble = each.state[component];
      // A trouble that began while its node belonged to another chain does not concern this chain.
      const isOther = trouble?.chain === chain && each.chain === chain && each.node !== but && !each.retired;
      return isOther ? [trouble] : [];
    });
  }

  /** Loads the node and all other nodes of its chain. */
  private async load(node: string, chain: string | null): Promise<LastTroubleEntity> {
    if (!this.known.has(node) || (chain !== null && !this.loadedChains.has(chain))) {
      const which = 'WHERE node = $1 OR chain = $2';
      const rows = await readRows(this.query, LastTroubleEntity, which, [node, chain]);
      for (const row of rows) if (!this.known.has(row.node)) this.known.set(row.node, row);
      if (chain !== null) this.loadedChains.add(chain);
    }
    const known = this.known.get(node);
    if (known?.chain === chain) return known;
    // Written even where nothing has happened yet, so that the rows do not depend on how the log is cut into batches.
    const own = known ?? { node, chain, retired: false, state: {} };
    own.chain = chain;
    this.known.set(node, own);
    this.changed.add(own);
    return own;
  }
}

export class HealthIntervals {
  private readonly versions = new RowVersions(HealthIntervalEntity, ['node', 'component', 'fromAt']);

  apply(node: string, change: HealthChange, position: bigint): void {
    const { component } = change;
    if (change.kind === 'drop') {
      this.versions.retire({ node, component, fromAt: toTableMicros(change.from) }, position);
      return;
    }
    const { from, to, state, rule, reason, claim, limit } = change.interval;
    const interval = {
      node,
      component,
      fromAt: toTableMicros(from),
      toAt: to === null ? null : toTableMicros(to),
      state,
      rule,
      reason,
      claim,
      claimDiffers: doesClaimDiffer(change.interval),
      differedMs: BigInt(Math.round(contradictedMs(change.interval))),
      setting: limit?.setting ?? null,
      limitValue: limit?.limit ?? null,
    };
    this.versions.put(interval, position);
  }

  write(query: Query): Promise<void> {
    return this.versions.write(query);
  }
}

/** True: the claim provably differed. False: it did not. Null: there was nothing to compare. */
function doesClaimDiffer(interval: RuleInterval): boolean | null {
  if (interval.contradicted.length > 0) return true;
  return contradicts(interval.claim, interval.state) === null ? null : false;
}

/** Converts to the precision of the table. Deadlines may lie between two milliseconds. */
function toTableMicros(ms: Millis): Micros {
  return BigInt(Math.round(ms * 1000));
}
