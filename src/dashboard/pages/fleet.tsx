import type { FiguresQuery, FleetQuery, IncidentsQuery } from '../data/answers.gen.js';
import { fleetFiguresQuestion, fleetQuestion, incidentsQuestion } from '../data/questions.js';
import { useAnswer } from '../data/use-answer.js';
import { momentOf, zoneOf, type View } from '../data/view.js';
import { IncidentTable } from '../parts/incident-table.js';
import { GoneNodes, UnseenNodes } from '../parts/node-rows.js';
import { NodeGroups } from '../parts/node-groups.js';
import { Trouble, useDrawn } from '../parts/states.js';
import { NeedsAttention } from '../parts/needs-attention.js';
import { isUnseen, verdictOf } from '../data/verdict.js';

/** Titles shown in place of a verdict. */
const NOTHING = { key: 'Sign in', away: 'No answer', refused: 'No answer' } as const;

/** Shows the fleet: a verdict in a line, what needs attention, and a card for each node. */
export function FleetPage({ view }: { readonly view: View }) {
  const [moment, zone] = [momentOf(view), zoneOf(view)];
  const fleet = useAnswer<FleetQuery>(...fleetQuestion(view));
  const figures = useAnswer<FiguresQuery>(...fleetFiguresQuestion(view));
  const open = useAnswer<IncidentsQuery>(...incidentsQuestion(view, { open: true }));
  const incidents = useAnswer<IncidentsQuery>(...incidentsQuestion(view, { open: false }));
  const all = fleet.answer?.nodes ?? [];
  const isPast = moment.asOf !== null || moment.knownAt !== null;
  const unseen = all.filter((node) => isPast && isUnseen(node));
  const seen = all.filter((node) => !unseen.includes(node));
  const [nodes, gone] = [seen.filter(({ retired }) => !retired), seen.filter(({ retired }) => retired)];
  const verdict = fleet.answer && verdictOf(nodes, gone.length, open.answer?.incidents.nodes.length);
  useDrawn(
    [fleet, figures, open, incidents].every(({ answer, error }) => (answer ?? error) !== undefined),
    verdict ?? 'Fleet',
  );
  const error = fleet.error ?? figures.error ?? open.error ?? incidents.error;
  const again = (): void => {
    fleet.again();
    figures.again();
    open.again();
    incidents.again();
  };
  return (
    <>
      <h1 class="verdict">{verdict ?? (fleet.error ? NOTHING[fleet.error.trouble] : 'Loading…')}</h1>
      {error && <Trouble error={error} answeredMs={fleet.answeredMs} zone={zone} again={again} />}
      <NeedsAttention nodes={nodes} zone={zone} />
      {nodes.length > 0 && open.answer && (
        <IncidentTable
          answer={open.answer}
          now={moment.asOf ?? open.answer.now}
          zone={zone}
          of="Open incidents"
        />
      )}
      {fleet.answer && nodes.length === 0 && unseen.length === 0 && (
        <p class="panel">
          {gone.length === 0 ? 'No nodes monitored yet.' : 'No nodes monitored.'} Add one to the settings, or
          start with <code>hindsight start --node alpha=http://127.0.0.1:26657</code>.
        </p>
      )}
      {nodes.length > 0 && <NodeGroups nodes={nodes} figures={figures.answer} view={view} />}
      {unseen.length > 0 && <UnseenNodes nodes={unseen} />}
      {gone.length > 0 && <GoneNodes nodes={gone} zone={zone} />}
      {nodes.length > 0 && incidents.answer && (
        <IncidentTable
          answer={incidents.answer}
          now={moment.asOf ?? incidents.answer.now}
          zone={zone}
          of="Closed incidents"
        />
      )}
    </>
  );
}
