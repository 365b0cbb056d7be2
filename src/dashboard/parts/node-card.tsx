import { toPrintable } from '../../domain/printable-text.js';
import type { NodeFragment } from '../data/answers.gen.js';
import { isUnseen } from '../data/verdict.js';
import { count, moment, sentence } from '../data/words.js';
import { Ago } from './ago.js';
import { Card } from './card.js';
import { FactList, type Fact } from './facts.js';
import { HealthBars, type BarLength, type NodeBars } from './health-bars.js';
import { Named } from './named.js';
import { NodeState, watchedUntil } from './node-state.js';

/** A node: its state and why, its heights, and its health of a quarter of a year. */
export function NodeCard(given: {
  readonly node: NodeFragment;
  readonly bars: { readonly [Length in BarLength]: NodeBars | undefined };
  /** Whether the page is about this node alone. */
  readonly isOnly: boolean;
}) {
  const { node, bars, isOnly } = given;
  const title = isOnly ? 'State' : <Named kind="node" id={node.id} />;
  return (
    <Card title={title} name={node.id} actions={isOnly ? undefined : <NodeState node={node} />}>
      <div class={isOnly ? 'columns' : undefined}>
        <div>
          {isOnly && <NodeState node={node} hasBadge={false} />}
          {!node.retired && !isUnseen(node) && <Reasons node={node} />}
        </div>
        <div class="bars">
          <HealthBars node={node.id} bars={bars['24 h']} length="24 h" />
          <HealthBars node={node.id} bars={bars['90 d']} length="90 d" />
        </div>
        <FactList facts={factsOf(node)} />
      </div>
    </Card>
  );
}

/** The reasons of healthy states; the state itself says the others. */
function Reasons({ node: { da, node } }: { readonly node: NodeFragment }) {
  const healthy = [da, node].flatMap((each) => (each?.state === 'HEALTHY' ? each.reason : []));
  return (
    <>
      {[...new Set(healthy)].map((reason) => (
        <p key={reason} class="quiet">
          <bdi>{sentence(reason, 500)}</bdi>
        </p>
      ))}
    </>
  );
}

function factsOf(node: NodeFragment): Fact[] {
  const isFollower = node.aggregator === false;
  const role = node.aggregator === null ? 'unknown' : isFollower ? 'follower' : 'sequencer';
  return [
    ['Role', role],
    ['Head', count(node.headFloat)],
    ['Inclusion frontier', count(node.inclusionFrontierFloat)],
    ['Blocks not included yet', count(node.pendingFloat)],
    ['Last success', isFollower && node.lastSuccessAt === null ? undefined : <Ago at={node.lastSuccessAt} />],
    ['Reports its DA as', node.claim === null ? 'nothing' : toPrintable(node.claim, 60)],
    ['Last seen', node.lastSeenAt === null ? 'unknown' : <Ago at={node.lastSeenAt} />],
    ['Monitored until', node.retired ? moment(watchedUntil(node)) : undefined],
  ];
}
