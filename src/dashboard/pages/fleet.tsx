import type {
  FleetCostsQuery,
  FleetQuery,
  IncidentsQuery,
  NodeFeesQuery,
  OpenIncidentsQuery,
} from '../data/answers.gen.js';
import {
  fleetFiguresQuestions,
  fleetQuestion,
  incidentsQuestion,
  openIncidentsQuestion,
} from '../data/questions.js';
import type { LiveChange } from '../data/live.js';
import { useAnswer } from '../data/use-answer.js';
import { isUnseen, verdictOf, worstOfAll } from '../data/verdict.js';
import { isPast, momentOf, type View } from '../data/view.js';
import { useTitle } from '../frame/title.js';
import { Empty, Skeleton } from '../parts/card.js';
import { IncidentTable } from '../parts/incident-table.js';
import { NodeGroups } from '../parts/node-groups.js';
import { GoneNodes, UnseenNodes } from '../parts/node-table.js';
import { OpenIncidents } from '../parts/open-incidents.js';
import { SampleOffer } from '../parts/sample-offer.js';
import { Verdict } from '../parts/state-badge.js';

/** Titles shown in place of a verdict. */
const NOTHING = { key: 'Sign in', away: 'No answer', refused: 'No answer' } as const;

const ON_INCIDENTS: readonly LiveChange[] = [{ kind: 'IncidentChanged' }];
/** Rows come every second: a fleet that many people watch is queried less often. */
const ON_FLEET: readonly LiveChange[] = [
  { kind: 'HealthChanged' },
  { kind: 'SubmissionsObserved', atMostEveryMs: 10_000 },
];

/** Reports of fees take the most of the service's time, and a day's fees change slowly. */
const FIGURES_EVERY_MS = 60_000;
/** Changes repeat these queries at once: this is only for a lost connection. */
const OPEN_EVERY_MS = 60_000;
const CLOSED_EVERY_MS = 300_000;

/** Shows the fleet: a verdict in a line, open incidents with what to do, all nodes, and closed incidents. */
export function FleetPage({ view }: { readonly view: View }) {
  const moment = momentOf(view);
  const fleet = useAnswer<FleetQuery>(fleetQuestion(view), { on: ON_FLEET });
  const [ofFleet, ofNodes] = fleetFiguresQuestions(view);
  const figures = useAnswer<FleetCostsQuery>(ofFleet, { everyMs: FIGURES_EVERY_MS });
  const fees = useAnswer<NodeFeesQuery>(ofNodes, { everyMs: FIGURES_EVERY_MS });
  const open = useAnswer<OpenIncidentsQuery>(openIncidentsQuestion(view), {
    on: ON_INCIDENTS,
    everyMs: OPEN_EVERY_MS,
  });
  const closed = useAnswer<IncidentsQuery>(incidentsQuestion(view, { open: false }), {
    on: ON_INCIDENTS,
    everyMs: CLOSED_EVERY_MS,
  });
  const all = fleet.answer?.nodes ?? [];
  const unseen = all.filter((node) => isPast(view) && isUnseen(node));
  const seen = all.filter((node) => !unseen.includes(node));
  const [nodes, gone] = [seen.filter(({ retired }) => !retired), seen.filter(({ retired }) => retired)];
  const verdict = fleet.answer && verdictOf(nodes, gone.length, open.answer?.incidents.nodes.length);
  const roles = new Map(all.map(({ id, aggregator }) => [id, aggregator]));
  const lasting = (open.answer?.incidents.nodes ?? []).filter(({ lastSignAt }) => lastSignAt === null);
  const explained = new Set(lasting.flatMap((incident) => incident.nodes.map(({ nodeId }) => nodeId)));
  const current = fleet.error && verdict ? `Not current: ${verdict}` : verdict;
  useTitle(current ?? 'Fleet');
  return (
    <>
      <Verdict
        state={nodes.length === 0 ? undefined : fleet.error ? 'UNKNOWN' : worstOfAll(nodes)}
        words={current ?? (fleet.error ? NOTHING[fleet.error.trouble] : 'Loading…')}
      />
      {open.answer && (
        <OpenIncidents
          answer={open.answer}
          roleOf={(id) => roles.get(id) ?? null}
          isPast={isPast(view)}
          now={moment.asOf ?? moment.knownAt ?? open.answer.now}
          again={open.again}
        />
      )}
      {!isPast(view) && <SampleOffer />}
      {fleet.answer === undefined && fleet.error === undefined && <Skeleton lines={6} />}
      {fleet.answer && nodes.length === 0 && unseen.length === 0 && <NoNodes hasGone={gone.length > 0} />}
      {nodes.length > 0 && (
        <NodeGroups
          nodes={nodes}
          explained={explained}
          figures={figures.answer}
          fees={fees.answer}
          view={view}
        />
      )}
      {unseen.length > 0 && <UnseenNodes nodes={unseen} />}
      {gone.length > 0 && <GoneNodes nodes={gone} />}
      {nodes.length > 0 && closed.answer && (
        <IncidentTable title="Closed incidents" incidents={closed.answer.incidents} />
      )}
    </>
  );
}

function NoNodes({ hasGone }: { readonly hasGone: boolean }) {
  return (
    <Empty title={hasGone ? 'No nodes monitored.' : 'No nodes monitored yet.'}>
      Add one to the settings, or start with <code>hindsight start --node alpha=http://127.0.0.1:26657</code>.
    </Empty>
  );
}
