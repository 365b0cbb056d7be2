import type { ComponentChildren } from 'preact';
import type { FleetCostsQuery, FleetQuery, NodeFeesQuery } from '../data/answers.gen.js';
import { arrange, GROUPS, ORDERS } from '../data/arrange.js';
import { linkTo, type View } from '../data/view.js';
import { money } from '../data/words.js';
import { NodeTable, useNodeExtras } from './node-table.js';

type FleetNode = FleetQuery['nodes'][number];

/** All nodes, filtered, sorted and grouped according to the address. */
export function NodeGroups({
  nodes,
  explained,
  figures,
  fees,
  view,
}: {
  readonly nodes: readonly FleetNode[];
  /** Ids of nodes whose trouble the page explains elsewhere. */
  readonly explained: ReadonlySet<string>;
  readonly figures: FleetCostsQuery | undefined;
  readonly fees: NodeFeesQuery | undefined;
  readonly view: View;
}) {
  const by = GROUPS.find((name) => name === view.get('group')) ?? 'chain';
  const order = ORDERS.find((name) => name === view.get('order')) ?? 'worst first';
  const groups = arrange(nodes, { wanted: view.get('filter'), by, order });
  const shown = groups.flatMap((group) => group.nodes);
  const extras = useNodeExtras(
    view,
    shown.map(({ id }) => id),
  );
  return (
    <>
      <div class="tools">
        <label>
          Filter
          <input
            type="search"
            maxLength={200}
            placeholder="node or chain"
            value={view.get('filter')}
            onInput={(event) => view.type({ filter: event.currentTarget.value })}
          />
        </label>
        <Choice view={view} name="group" choices={GROUPS} value={by}>
          Group by
        </Choice>
        <Choice view={view} name="order" choices={ORDERS} value={order}>
          Order by
        </Choice>
        <span class="quiet" role="status">
          {shown.length} of {nodes.length} nodes
        </span>
      </div>
      {groups.map((group) => (
        <NodeTable
          key={group.name}
          title={
            <GroupTitle
              name={group.name}
              chain={by === 'chain' ? group.nodes[0]?.chain : undefined}
              figures={figures}
            />
          }
          name={`Nodes of ${group.name}`}
          nodes={group.nodes}
          explained={explained}
          figures={figures}
          fees={fees}
          extras={extras}
        />
      ))}
    </>
  );
}

function Choice(given: {
  readonly view: View;
  readonly name: 'group' | 'order';
  readonly choices: readonly string[];
  readonly value: string;
  readonly children: ComponentChildren;
}) {
  const { view, name, choices, value, children } = given;
  return (
    <label>
      {children}
      <select value={value} onChange={(event) => view.set({ [name]: event.currentTarget.value })}>
        {choices.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

function GroupTitle(given: {
  readonly name: string;
  /** Id of the chain when groups are chains; null when the nodes have not reported it. */
  readonly chain: string | null | undefined;
  readonly figures: FleetCostsQuery | undefined;
}) {
  const { name, chain, figures } = given;
  if (!chain) return <bdi>{name}</bdi>;
  return (
    <>
      <a href={linkTo(['chain', chain])}>
        <bdi>{name}</bdi>
      </a>{' '}
      <small>
        <a href={linkTo(['cost'], { chain })}>DA cost</a> today{' '}
        {money(figures?.today?.find((row) => row.chain === chain))}, this month{' '}
        {money(figures?.month.find((row) => row.chain === chain))} (UTC)
      </small>
    </>
  );
}
