import type { FiguresQuery, NodeFragment } from '../data/answers.gen.js';
import { linkTo } from '../data/view.js';
import { count, moment, share } from '../data/words.js';
import { lastSeen, NodeStates } from './node-card.js';
import { Table } from './table.js';

/** Nodes as rows of a table: a hundred of them can be read. */
export function NodeRows(given: {
  readonly caption: string;
  readonly nodes: readonly NodeFragment[];
  readonly figures: FiguresQuery | undefined;
  readonly zone: string;
}) {
  const { caption, nodes, figures, zone } = given;
  const ofDay = new Map(figures?.statistics.map((row) => [row.node, row]));
  return (
    <Table
      caption={caption}
      none="No node fits."
      columns={[
        'Node',
        'State',
        'Head',
        'Included up to',
        'Pending',
        'Success today',
        'Watched today',
        'Last success',
        'Last seen',
      ]}
      rows={nodes.map((node) => [
        <a href={linkTo(['node', node.id])}>
          <bdi>{node.id}</bdi>
        </a>,
        <NodeStates node={node} />,
        count(node.headFloat),
        count(node.inclusionFrontierFloat),
        count(node.pendingFloat),
        node.aggregator === false ? 'follower' : share(ofDay.get(node.id)?.successRate),
        node.aggregator === false ? '' : share(ofDay.get(node.id)?.coverage),
        node.aggregator === false ? '' : moment(node.lastSuccessAt, zone),
        lastSeen(node, zone),
      ])}
    />
  );
}
