import { UNWATCHED_RULES } from '../../domain/health/trouble.js';
import { toPrintable } from '../../domain/printable-text.js';
import type { FiguresQuery, NodeFragment } from '../data/answers.gen.js';
import { isUnseen } from '../data/verdict.js';
import { linkTo } from '../data/view.js';
import { count, moment, share, sentence } from '../data/words.js';
import { HealthBars, type NodeBars } from './health-bars.js';
import { StateBadge } from './state-badge.js';

/** A node in the fleet: its states, heights, figures of the day, and health bars. */
export function NodeCard(given: {
  readonly node: NodeFragment;
  /** Figures of the present day: null when unknown, left out where charts show them. */
  readonly figures?: FiguresQuery['statistics'][number] | null;
  readonly bars: NodeBars | undefined;
  readonly zone: string;
}) {
  const { node, figures, bars, zone } = given;
  const isFollower = node.aggregator === false;
  const facts = [
    ['Head', count(node.headFloat)],
    ['Inclusion frontier', count(node.inclusionFrontierFloat)],
    ['Blocks not included yet', count(node.pendingFloat)],
    ...(figures === undefined || (isFollower && !hasSubmitted(figures)) ? [] : figuresOf(figures)),
    ...(isFollower && node.lastSuccessAt === null
      ? []
      : [['Last success', moment(node.lastSuccessAt, zone)]]),
    ...(figures === undefined
      ? [['Claim', node.claim === null ? 'nothing' : toPrintable(node.claim, 60)]]
      : []),
    ['Last seen', lastSeen(node, zone)],
    ...(node.retired ? [['Monitored until', moment(watchedUntil(node), zone)]] : []),
  ];
  return (
    <article class="card">
      <h3>
        <a href={linkTo(['node', node.id])}>
          <bdi>{node.id}</bdi>
        </a>{' '}
        {isFollower && <small>follower</small>}
      </h3>
      <NodeStates node={node} zone={zone} />
      {figures === undefined && !node.retired && !isUnseen(node) && <Reasons node={node} zone={zone} />}
      <HealthBars node={node.id} bars={bars} zone={zone} />
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </article>
  );
}

/** The reasons of the states: badges only show them on hover, which touch screens lack. */
function Reasons({ node, zone }: { readonly node: NodeFragment; readonly zone: string }) {
  const reasons = [node.da?.reason, node.node?.reason].flatMap((reason) => reason ?? []);
  return (
    <>
      {[...new Set(reasons)].map((reason) => (
        <p key={reason} class="quiet">
          <bdi>{sentence(reason, zone, 500)}</bdi>
        </p>
      ))}
    </>
  );
}

/** When a node that is no longer monitored was last monitored; null when unknown. */
export function watchedUntil({ retired, da }: Pick<NodeFragment, 'retired' | 'da'>): string | null {
  return retired && da !== null && UNWATCHED_RULES.has(da.rule) ? da.from : null;
}

/** When a node answered last; unknown for a past moment. */
export function lastSeen({ lastSeenAt }: NodeFragment, zone: string): string {
  return lastSeenAt === null ? 'unknown' : moment(lastSeenAt, zone);
}

/** The states of a node, and its own claim if that contradicts them. */
export function NodeStates({ node, zone }: { readonly node: NodeFragment; readonly zone: string }) {
  if (node.retired)
    return (
      <div class="states">
        <StateBadge name="no longer monitored" state={undefined} bare />
      </div>
    );
  if (isUnseen(node))
    return (
      <div class="states">
        <StateBadge name="not monitored yet" state={undefined} bare />
      </div>
    );
  return (
    <div class="states">
      <StateBadge
        name="DA"
        state={node.da?.state}
        title={node.da ? sentence(node.da.reason, zone) : undefined}
      />
      <StateBadge
        name="node"
        state={node.node?.state}
        title={node.node ? sentence(node.node.reason, zone) : undefined}
      />
      {node.claimDiffers && <span class="state WARNING">! claims “{toPrintable(node.claim ?? '', 60)}”</span>}
    </div>
  );
}

/** Whether attempts are known in the time of the figures: a present follower may have been the leader then. */
export function hasSubmitted(figures: FiguresQuery['statistics'][number] | null | undefined): boolean {
  return (figures?.successRate ?? null) !== null;
}

function figuresOf(figures: FiguresQuery['statistics'][number] | null): string[][] {
  return [
    ['Success rate today (UTC)', share(figures?.successRate)],
    ['Gas price, utia', figures?.gasPriceLastFloat?.toString() ?? 'unknown'],
    ['Covered today (UTC)', share(figures?.coverage)],
  ];
}
