import { toPrintable } from '../../domain/printable-text.js';
import type { FiguresQuery, NodeFragment } from '../data/answers.gen.js';
import { linkTo } from '../data/view.js';
import { count, moment, share } from '../data/words.js';
import { hasSubmitted, lastSeen, NodeStates, watchedUntil } from './node-card.js';
import { Table } from './table.js';

/** The nodes of a group, named by its heading, as rows of a table that is readable with a hundred nodes. */
export function NodeRows(given: {
  readonly group: string;
  readonly nodes: readonly NodeFragment[];
  readonly figures: FiguresQuery | undefined;
  readonly zone: string;
}) {
  const { group, nodes, figures, zone } = given;
  const ofDay = new Map(figures?.statistics.map((row) => [row.node, row]));
  return (
    <Table
      caption={nodes.length === 1 ? '1 node' : `${count(nodes.length)} nodes`}
      name={group}
      none="No node matches."
      columns={[
        'Node',
        'State',
        'Head',
        'Included up to',
        'Not included yet',
        'Success today',
        'Covered today',
        'Last success',
        'Last seen',
      ]}
      rows={nodes.map((node) => {
        const day = ofDay.get(node.id);
        const isFollower = node.aggregator === false;
        const isQuiet = isFollower && !hasSubmitted(day);
        return [
          <a href={linkTo(['node', node.id])}>
            <bdi>{node.id}</bdi>
          </a>,
          <NodeStates node={node} zone={zone} />,
          count(node.headFloat),
          count(node.inclusionFrontierFloat),
          count(node.pendingFloat),
          isQuiet ? 'follower' : share(day?.successRate),
          isQuiet ? '' : share(day?.coverage),
          isFollower && node.lastSuccessAt === null ? '' : moment(node.lastSuccessAt, zone),
          lastSeen(node, zone),
        ];
      })}
    />
  );
}

/** Nodes that are no longer monitored, folded: what they showed is kept. */
export function GoneNodes({
  nodes,
  zone,
}: {
  readonly nodes: readonly NodeFragment[];
  readonly zone: string;
}) {
  return (
    <details class="panel">
      <summary>No longer monitored: {nodes.length}</summary>
      <Table
        caption="Their records are kept"
        none=""
        columns={['Node', 'Chain', 'Head', 'Last success', 'Monitored until']}
        rows={nodes.map((node) => [
          <a href={linkTo(['node', node.id])}>
            <bdi>{node.id}</bdi>
          </a>,
          node.chain === null ? (
            'not reported'
          ) : (
            <a href={linkTo(['chain', node.chain])}>
              <bdi>{toPrintable(node.chain, 200)}</bdi>
            </a>
          ),
          count(node.headFloat),
          moment(node.lastSuccessAt, zone),
          watchedUntil(node) === null ? lastSeen(node, zone) : moment(watchedUntil(node), zone),
        ])}
      />
    </details>
  );
}

/** Nodes that were not yet monitored at the past moment, folded: their states then are unknown. */
export function UnseenNodes({ nodes }: { readonly nodes: readonly NodeFragment[] }) {
  return (
    <details class="panel">
      <summary>Not monitored yet at this moment: {nodes.length}</summary>
      <p class="list">
        {nodes.map(({ id }) => (
          <a key={id} href={linkTo(['node', id])}>
            <bdi>{id}</bdi>
          </a>
        ))}
      </p>
    </details>
  );
}
