import INCIDENT_STATES from '../data/incident-states.graphql?raw';
import INCIDENT_TIME from '../data/incident-time.graphql?raw';
import { SUBMISSION_STATUSES } from '../../domain/submissions/submission-codes.js';
import { toPrintable } from '../../domain/printable-text.js';
import type {
  IncidentQuery,
  IncidentStatesQuery,
  IncidentStatesQueryVariables,
  IncidentTimeQuery,
  IncidentTimeQueryVariables,
} from '../data/answers.gen.js';
import { entriesOf, statesOf, type IncidentEntry, type IncidentEvent } from '../data/incident-entries.js';
import type { LiveChange } from '../data/live.js';
import { useAnswer, type Repetition } from '../data/use-answer.js';
import { linkTo, momentOf, type View } from '../data/view.js';
import { moment, sentence } from '../data/words.js';
import { nodeIdsOf } from '../../domain/health/trouble.js';
import { Card, Skeleton } from './card.js';
import { IncidentEvents } from './incident-events.js';
import { Timeline, type Lane, type Mark } from './timeline.js';

type Incident = NonNullable<IncidentQuery['incident']>;

const FAILURES = SUBMISSION_STATUSES.filter((status) => status !== 'SUCCESS');
/** States within this time before and after an incident are shown as well, in ms. */
const MARGIN_MS = 60_000;
/** Most nodes whose states are shown; the others have theirs on their pages. */
const MOST_NODES = 10;
/** A closed incident changes rarely: by events that are recorded late. */
const CLOSED_EVERY_MS = 300_000;
/** Failed attempts are many: their list is queried at most this often for new ones. */
const ROWS_EVERY_MS = 5_000;

/** The events during an incident: states of its nodes, gaps, failed attempts, acknowledgements and notes, on a timeline and as a list. */
export function IncidentTime(given: {
  readonly incident: Incident;
  /** The present, or the moment shown, ISO 8601. */
  readonly now: string;
  readonly view: View;
}) {
  const { incident, now, view } = given;
  const nodes = nodeIdsOf(incident);
  const states = useStates(incident, nodes, view);
  const rows = useRows(incident, nodes, view);
  const isComplete = states !== undefined && rows !== undefined;
  const entries = isComplete ? entriesOf(incident, states, rows) : [];
  const [fromMs, toMs] = [Date.parse(incident.from), Date.parse(incident.to ?? now)];
  const marginMs = Math.min(MARGIN_MS, (toMs - fromMs) / 20);
  return (
    <Card title="What happened" actions={<WholeTime incident={incident} now={now} nodes={nodes} />}>
      {!isComplete && <Skeleton lines={6} />}
      {isComplete && (
        <>
          <Timeline
            label="The incident over time; the list below shows the same."
            fromMs={fromMs - marginMs}
            toMs={incident.to === null ? toMs : toMs + marginMs}
            lanes={lanesOf(entries, nodes.slice(0, MOST_NODES), now)}
          />
          <Omitted incident={incident} rows={rows} nodes={nodes} />
          <IncidentEvents entries={entries} hasNodes={nodes.length > 1} now={now} />
          {rows.submissions.nodes.length === 0 && <p class="quiet">No failed attempt recorded.</p>}
          {rows.losses.nodes.length === 0 && <p class="quiet">No gap in the record.</p>}
        </>
      )}
    </Card>
  );
}

function WholeTime(given: { readonly incident: Incident; readonly now: string; readonly nodes: string[] }) {
  const { incident, now, nodes } = given;
  const range = {
    from: new Date(Date.parse(incident.from) - MARGIN_MS).toISOString(),
    to: new Date(Date.parse(incident.to ?? now) + MARGIN_MS).toISOString(),
  };
  if (nodes.length === 1 || incident.chain === null)
    return <a href={linkTo(['node', incident.nodeId], range)}>This time on the page of the node</a>;
  return <a href={linkTo(['chain', incident.chain], range)}>This time on the page of the chain</a>;
}

/** The states of the first nodes of an incident; undefined until all are known. */
function useStates(incident: Incident, nodes: readonly string[], view: View): IncidentEvent[] | undefined {
  const past = momentOf(view);
  const { component } = incident;
  const from = new Date(Date.parse(incident.from) - MARGIN_MS).toISOString();
  // Always as many calls, as hooks must be.
  const answers = Array.from({ length: MOST_NODES }, (_, index) => {
    const node = nodes[index];
    const key = JSON.stringify([incident.id, node, incident.to, past]);
    const variables = (nowMs: number): IncidentStatesQueryVariables => ({
      ...past,
      node: node ?? '',
      component,
      from,
      to: new Date((incident.to === null ? nowMs : Date.parse(incident.to)) + MARGIN_MS).toISOString(),
    });
    return useAnswer<IncidentStatesQuery>(
      node === undefined ? undefined : [INCIDENT_STATES, key, variables],
      repeated(incident, { kind: 'HealthChanged', of: { nodes: [node ?? ''] } }),
    );
  });
  const asked = answers.slice(0, nodes.length);
  if (asked.some(({ answer }) => answer === undefined)) return undefined;
  return asked.flatMap(({ answer }, index) =>
    statesOf(nodes[index] ?? '', incident, answer?.healthHistory ?? []),
  );
}

function useRows(incident: Incident, nodes: string[], view: View): IncidentTimeQuery | undefined {
  const past = momentOf(view);
  const key = JSON.stringify([incident.id, incident.to, past]);
  // Only failures within the incident, like its figures: earlier ones had other causes, or none that was seen.
  const variables = (nowMs: number): IncidentTimeQueryVariables => ({
    ...past,
    nodes,
    failures: FAILURES,
    from: incident.from,
    to: incident.to ?? new Date(nowMs).toISOString(),
  });
  const submitted: LiveChange = {
    kind: 'SubmissionsObserved',
    of: { nodes },
    atMostEveryMs: ROWS_EVERY_MS,
  };
  return useAnswer<IncidentTimeQuery>([INCIDENT_TIME, key, variables], repeated(incident, submitted)).answer;
}

function repeated({ to }: Incident, change: LiveChange): Repetition {
  return to === null ? { on: [change] } : { everyMs: CLOSED_EVERY_MS };
}

/** Says which failures, notes and nodes the timeline and the list leave out. */
function Omitted(given: {
  readonly incident: Incident;
  readonly rows: IncidentTimeQuery;
  readonly nodes: readonly string[];
}) {
  const { incident, rows, nodes } = given;
  const { noteCount, notes } = incident;
  const { submissions, losses } = rows;
  const oldest = submissions.nodes.at(-1)?.time;
  return (
    <>
      {submissions.pageInfo.hasNextPage && oldest !== undefined && (
        <p class="quiet">Failed attempts before {moment(oldest)} are not listed.</p>
      )}
      {losses.pageInfo.hasNextPage && <p class="quiet">Only the newest gaps are listed.</p>}
      {noteCount > notes.length && (
        <p class="quiet">
          {noteCount} notes; the first {notes.length} are listed.
        </p>
      )}
      {nodes.length > MOST_NODES && (
        <p class="quiet">
          States of {nodes.length - MOST_NODES} more nodes are on their pages, linked in the table of nodes.
        </p>
      )}
    </>
  );
}

function lanesOf(entries: readonly IncidentEntry[], nodes: readonly string[], now: string): Lane[] {
  const of = (kind: IncidentEvent['kind'], markOf: (entry: IncidentEntry) => Mark, node?: string): Mark[] =>
    entries
      .filter(({ event }) => event.kind === kind && (node === undefined || event.node === node))
      .map(markOf);
  const lanes: Lane[] = [
    ...nodes.map((node) => ({
      name: nodes.length === 1 ? 'State' : toPrintable(node, 24),
      marks: of('STATE', (entry) => stateMark(entry, now), node),
    })),
    { name: 'Failed', marks: of('FAILURE', failureMark) },
    {
      name: 'Gaps',
      marks: of('GAP', ({ event, fromMs, toMs = Date.parse(now) }) => ({
        fromMs,
        toMs,
        look: 'UNKNOWN',
        title: event.kind === 'GAP' ? sentence(event.of.explanation) : '',
      })),
    },
  ];
  return lanes.filter(({ marks }) => marks.length > 0);
}

function stateMark(entry: IncidentEntry, now: string): Mark {
  const { event, fromMs, toMs = Date.parse(now) } = entry;
  if (event.kind !== 'STATE') return { fromMs, toMs, look: 'UNKNOWN', title: '' };
  const { state, reason, from } = event.of;
  const title = `${state.toLowerCase()} from ${moment(from)}: ${sentence(reason)}`;
  return { fromMs, toMs, look: state, title };
}

function failureMark({ event, fromMs, toMs, count }: IncidentEntry): Mark {
  const cause = event.kind === 'FAILURE' ? (event.of.cause?.title ?? 'cause unknown') : '';
  const title = `${count} failed: ${cause}`;
  return {
    fromMs,
    ...(count > 1 && toMs !== undefined && { toMs }),
    look: 'CRITICAL',
    title,
  };
}
