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
import { momentOf, zoneOf, type View } from '../data/view.js';
import { IncidentTable, useIncidents } from '../parts/incident-table.js';
import { GoneNodes } from '../parts/node-rows.js';
import { NodeGroups } from '../parts/node-groups.js';
import { Trouble, useDrawn } from '../parts/states.js';
import { NeedsAttention } from '../parts/needs-attention.js';
import { verdictOf } from '../data/verdict.js';

/** What stands in the place of a verdict. */
const NOTHING = { key: 'Sign in', away: 'No answer', refused: 'No answer' } as const;

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
  const open = useIncidents(view, { open: true });
  const incidents = useIncidents(view, { open: false });
  useDrawn(
    [fleet, figures, open, incidents].every(({ answer, error }) => (answer ?? error) !== undefined),
    'Fleet',
  );
  const all = fleet.answer?.nodes ?? [];
  const [nodes, gone] = [all.filter(({ retired }) => !retired), all.filter(({ retired }) => retired)];
  const error = fleet.error ?? figures.error ?? open.error ?? incidents.error;
  const again = (): void => {
    fleet.again();
    figures.again();
    open.again();
    incidents.again();
  };
  return (
    <>
      <h1 class="verdict">
        {fleet.answer
          ? verdictOf(nodes, gone.length)
          : fleet.error
            ? NOTHING[fleet.error.trouble]
            : 'Asking…'}
      </h1>
      {error && <Trouble error={error} answeredMs={fleet.answeredMs} zone={zone} again={again} />}
      <NeedsAttention nodes={nodes} />
      {nodes.length > 0 && open.answer && (
        <IncidentTable
          answer={open.answer}
          now={moment.asOf ?? open.answer.now}
          zone={zone}
          of="Open incidents"
        />
      )}
      {fleet.answer && nodes.length === 0 && (
        <p class="panel">
          {gone.length === 0 ? 'No node has been seen yet.' : 'No node is watched any more.'} Name one in the
          settings, or as <code>hindsight start --node alpha=http://127.0.0.1:26657</code>.
        </p>
      )}
      {nodes.length > 0 && <NodeGroups nodes={nodes} figures={figures.answer} view={view} />}
      {gone.length > 0 && <GoneNodes nodes={gone} zone={zone} />}
      {nodes.length > 0 && incidents.answer && (
        <IncidentTable
          answer={incidents.answer}
          now={moment.asOf ?? incidents.answer.now}
          zone={zone}
          of="Incidents that are over"
        />
      )}
    </>
  );
}
