import type { ComponentChildren } from 'preact';
import type { FiguresQuery, FleetQuery } from '../data/answers.gen.js';
import { linkTo, momentOf, zoneOf, type View } from '../data/view.js';
import { money } from '../data/words.js';
import { arrange, GROUPS, ORDERS, type GroupBy, type OrderBy } from '../data/arrange.js';
import { useBars } from './health-bars.js';
import { NodeCard } from './node-card.js';
import { NodeRows } from './node-rows.js';

/** Above this number of nodes, rows are shown unless cards are requested. */
const MOST_CARDS = 24;

type FleetNode = FleetQuery['nodes'][number];

/** All nodes, filtered, sorted and grouped according to the address, as cards or as rows. */
export function NodeGroups({
  nodes,
  figures,
  view,
}: {
  readonly nodes: readonly FleetNode[];
  readonly figures: FiguresQuery | undefined;
  readonly view: View;
}) {
  const zone = zoneOf(view);
  const by = GROUPS.find((name) => name === view.get('group')) ?? 'chain';
  const order = ORDERS.find((name) => name === view.get('order')) ?? 'name';
  const groups = arrange(nodes, { wanted: view.get('filter'), by, order });
  const shown = groups.flatMap((group) => group.nodes);
  const dense = view.get('dense') === '' ? nodes.length > MOST_CARDS : view.get('dense') === 'true';
  const bars = useBars(dense ? [] : shown.map(({ id }) => id), momentOf(view), zone);
  return (
    <>
      <Tools view={view} by={by} order={order} dense={dense}>
        {shown.length} of {nodes.length} nodes
      </Tools>
      {groups.map((group) => (
        <section key={group.name}>
          <GroupHeading
            name={group.name}
            chain={by === 'chain' ? group.nodes[0]?.chain : undefined}
            figures={figures}
          />
          {dense ? (
            <NodeRows group={group.name} nodes={group.nodes} figures={figures} zone={zone} />
          ) : (
            <div class="cards">
              {group.nodes.map((node) => (
                <NodeCard
                  key={node.id}
                  node={node}
                  figures={figures?.statistics.find((row) => row.node === node.id) ?? null}
                  bars={bars.get(node.id)}
                  zone={zone}
                />
              ))}
            </div>
          )}
        </section>
      ))}
    </>
  );
}

function Tools(given: {
  readonly view: View;
  readonly by: GroupBy;
  readonly order: OrderBy;
  readonly dense: boolean;
  readonly children: ComponentChildren;
}) {
  const { view, by, order, dense, children } = given;
  const choice = (name: 'group' | 'order', words: string, choices: readonly string[], value: string) => (
    <label>
      {words}{' '}
      <select value={value} onChange={(event) => view.set({ [name]: event.currentTarget.value })}>
        {choices.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="tools">
      <label>
        Filter{' '}
        <input
          type="search"
          maxLength={200}
          value={view.get('filter')}
          onInput={(event) => view.type({ filter: event.currentTarget.value })}
        />
      </label>
      {choice('group', 'Group by', GROUPS, by)}
      {choice('order', 'Order by', ORDERS, order)}
      <label>
        <input
          type="checkbox"
          checked={dense}
          onChange={(event) => view.set({ dense: event.currentTarget.checked ? 'true' : 'false' })}
        />{' '}
        dense
      </label>
      <span class="quiet" role="status">
        {children}
      </span>
    </div>
  );
}

function GroupHeading(given: {
  readonly name: string;
  /** Id of the chain when groups are chains; null when the nodes have not reported it. */
  readonly chain: string | null | undefined;
  readonly figures: FiguresQuery | undefined;
}) {
  const { name, chain, figures } = given;
  if (!chain)
    return (
      <h2>
        <bdi>{name}</bdi>
      </h2>
    );
  return (
    <h2>
      <a href={linkTo(['chain', chain])}>
        <bdi>{name}</bdi>
      </a>{' '}
      <small>
        <a href={linkTo(['cost'], { chain })}>DA cost</a> today{' '}
        {money(figures?.today.find((row) => row.chain === chain))}, this month{' '}
        {money(figures?.month.find((row) => row.chain === chain))} (UTC)
      </small>
    </h2>
  );
}
