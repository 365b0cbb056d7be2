import FIGURES from '../data/figures.graphql?raw';
import FLEET from '../data/fleet.graphql?raw';
import NODE from '../data/node.graphql?raw';
import type {
  FiguresQuery,
  FiguresQueryVariables,
  FleetQuery,
  FleetQueryVariables,
} from '../data/answers.gen.js';
import { nowMs } from '../data/now.js';
import { useAnswer } from '../data/use-answer.js';
import { linkTo, momentOf, zoneOf, type View } from '../data/view.js';
import { money } from '../data/words.js';
import { IncidentTable, useIncidents } from '../parts/incident-table.js';
import { NodeCard } from '../parts/node-card.js';
import { Trouble, useDrawn } from '../parts/states.js';
import { attentionOf, verdictOf } from './verdict.js';

/** Beyond so many nodes rows are shown unless cards are asked for. */
const MOST_CARDS = 24;

type FleetNode = FleetQuery['nodes'][number];

/** How all nodes are: a verdict in a line, what needs attention, and a card for each node. */
export function FleetPage({ view }: { readonly view: View }) {
  const [moment, zone] = [momentOf(view), zoneOf(view)];
  const id = `${moment.asOf} ${moment.knownAt}`;
  const fleet = useAnswer<FleetQuery>(FLEET + NODE, id, (): FleetQueryVariables => moment);
  const figures = useAnswer<FiguresQuery>(FIGURES, id, (): FiguresQueryVariables => {
    const to = new Date(moment.asOf === null ? nowMs() : Date.parse(moment.asOf)).toISOString();
    const [day, month] = [`${to.slice(0, 10)}T00:00:00Z`, `${to.slice(0, 7)}-01T00:00:00Z`];
    return { ...moment, day, month, to };
  });
  const incidents = useIncidents(view, {});
  useDrawn([fleet, figures, incidents].every(({ answer, error }) => (answer ?? error) !== undefined));
  const nodes = (fleet.answer?.nodes ?? []).filter(({ retired }) => !retired);
  const error = fleet.error ?? figures.error ?? incidents.error;
  const again = (): void => {
    fleet.again();
    figures.again();
    incidents.again();
  };
  return (
    <>
      <h1 class="verdict">{fleet.answer ? verdictOf(nodes) : fleet.error ? 'No answer' : 'Asking…'}</h1>
      {error && <Trouble error={error} answeredMs={fleet.answeredMs} zone={zone} again={again} />}
      {nodes.some((node) => attentionOf(node).length > 0) && (
        <section aria-labelledby="attention">
          <h2 id="attention">Needs attention</h2>
          <ul class="panel">
            {nodes.flatMap((node) =>
              attentionOf(node).map((words) => (
                <li key={`${node.id} ${words}`}>
                  <a href={linkTo(['node', node.id])}>{node.id}</a>: <bdi>{words}</bdi>
                </li>
              )),
            )}
          </ul>
        </section>
      )}
      {nodes.length > 0 && incidents.answer && <IncidentTable answer={incidents.answer} zone={zone} />}
      {fleet.answer && nodes.length === 0 && <p class="panel">No node has been seen yet.</p>}
      {nodes.length > 0 && <Groups nodes={nodes} figures={figures.answer} view={view} />}
    </>
  );
}

function Groups({
  nodes,
  figures,
  view,
}: {
  readonly nodes: readonly FleetNode[];
  readonly figures: FiguresQuery | undefined;
  readonly view: View;
}) {
  const wanted = view.get('filter').toLowerCase();
  const shown = nodes.filter((node) => `${node.id} ${node.chain ?? ''}`.toLowerCase().includes(wanted));
  const dense = view.get('dense') === '' ? nodes.length > MOST_CARDS : view.get('dense') === 'true';
  const chains = [...new Set(shown.map(({ chain }) => chain))];
  return (
    <>
      <div class="tools">
        <label>
          Filter{' '}
          <input
            type="search"
            value={view.get('filter')}
            onInput={(event) => view.set({ filter: event.currentTarget.value })}
          />
        </label>
        <label>
          <input
            type="checkbox"
            checked={dense}
            onChange={(event) => view.set({ dense: event.currentTarget.checked ? 'true' : 'false' })}
          />{' '}
          dense
        </label>
        <span class="quiet">
          {shown.length} of {nodes.length} nodes
        </span>
      </div>
      {chains.map((chain) => (
        <section key={chain}>
          <h2>
            {chain === null ? (
              'Chain not told yet'
            ) : (
              <a href={linkTo(['chain', chain])}>
                <bdi>{chain}</bdi>
              </a>
            )}{' '}
            {chain !== null && (
              <small>
                DA cost today {money(figures?.today.find((row) => row.chain === chain))}, this month{' '}
                {money(figures?.month.find((row) => row.chain === chain))} (UTC)
              </small>
            )}
          </h2>
          <div class={dense ? 'rows' : 'cards'}>
            {shown
              .filter((node) => node.chain === chain)
              .map((node) => (
                <NodeCard
                  key={node.id}
                  node={node}
                  figures={figures?.statistics.find((row) => row.node === node.id) ?? null}
                  asOf={momentOf(view).asOf}
                  zone={zoneOf(view)}
                  dense={dense}
                />
              ))}
          </div>
        </section>
      ))}
    </>
  );
}
