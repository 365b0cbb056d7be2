import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import INCIDENT_STATES from '../data/incident-states.graphql?raw';
import INCIDENT_TIME from '../data/incident-time.graphql?raw';
import { duration } from '../../domain/health/health-rule.js';
import { SUBMISSION_STATUSES } from '../../domain/submissions/submission-codes.js';
import { toPrintable } from '../../domain/printable-text.js';
import type {
  IncidentRowFragment,
  IncidentStatesQuery,
  IncidentStatesQueryVariables,
  IncidentTimeQuery,
  IncidentTimeQueryVariables,
} from '../data/answers.gen.js';
import { useAnswer } from '../data/use-answer.js';
import { linkTo, momentOf, type View } from '../data/view.js';
import { moment, sentence } from '../data/words.js';
import { nodeIdsOf } from '../../domain/health/trouble.js';
import { IntervalLink } from './interval-link.js';
import { StateBadge } from './state-badge.js';
import { Trouble, useDrawn } from './states.js';
import { Table } from './table.js';

const FAILURES = SUBMISSION_STATUSES.filter((status) => status !== 'SUCCESS');
/** States within this time before and after an incident are shown as well, in ms. */
const MARGIN_MS = 60_000;
/** Most states shown, from the beginning, of an incident that flaps for long. */
const MOST_STATES = 200;
/** Limit in a table: the page of the submission has the whole message. */
const LONGEST_MESSAGE = 300;

/** Most nodes whose states are shown; the others have theirs on their pages. */
const MOST_NODES = 10;

/** The events during an incident: states of its nodes, gaps and failed attempts, each as a table. */
export function IncidentTime(given: {
  readonly incident: IncidentRowFragment;
  readonly now: string;
  readonly view: View;
  readonly zone: string;
}) {
  const { incident, now, view, zone } = given;
  const from = new Date(Date.parse(incident.from) - MARGIN_MS).toISOString();
  const to = new Date(Date.parse(incident.to ?? now) + MARGIN_MS).toISOString();
  const past = momentOf(view);
  const nodes = nodeIdsOf(incident);
  const { answer, error, answeredMs, again } = useAnswer<IncidentTimeQuery>(
    INCIDENT_TIME,
    JSON.stringify([incident.id, incident.to, past]),
    // Only failures within the incident, like its figures: earlier ones had other causes, or none that was seen.
    (nowMs): IncidentTimeQueryVariables => ({
      ...past,
      nodes,
      failures: FAILURES,
      from: incident.from,
      to: incident.to ?? new Date(nowMs).toISOString(),
    }),
  );
  const shown = nodes.slice(0, MOST_NODES);
  const [drawn, setDrawn] = useState<ReadonlySet<string>>(new Set());
  const noteDrawn = (node: string): void => setDrawn((known) => new Set([...known, node]));
  useDrawn((answer ?? error) !== undefined && shown.every((node) => drawn.has(node)));
  return (
    <>
      {shown.map((node) => (
        <States
          key={node}
          node={node}
          isOnly={nodes.length === 1}
          drawn={noteDrawn}
          {...{ incident, from, to, now, view, zone }}
        />
      ))}
      {nodes.length > MOST_NODES && (
        <p>
          States of {nodes.length - MOST_NODES} more nodes are on their pages, linked in the table of nodes.
        </p>
      )}
      {error && <Trouble error={error} answeredMs={answeredMs} zone={zone} again={again} />}
      {answer && <Tables answer={answer} isOnly={nodes.length === 1} zone={zone} />}
    </>
  );
}

function States(given: {
  readonly node: string;
  readonly isOnly: boolean;
  readonly drawn: (node: string) => void;
  readonly incident: IncidentRowFragment;
  readonly from: string;
  readonly to: string;
  readonly now: string;
  readonly view: View;
  readonly zone: string;
}) {
  const { node, isOnly, drawn, incident, from, to, now, view, zone } = given;
  const past = momentOf(view);
  const { component } = incident;
  const { answer, error, answeredMs, again } = useAnswer<IncidentStatesQuery>(
    INCIDENT_STATES,
    JSON.stringify([incident.id, node, incident.to, past]),
    (): IncidentStatesQueryVariables => ({ ...past, node, component, from, to }),
  );
  const isDrawn = (answer ?? error) !== undefined;
  useEffect(() => {
    if (isDrawn) drawn(node);
  }, [isDrawn]);
  const end = incident.to === null ? undefined : Date.parse(incident.to);
  const isAfter = (state: { readonly from: string }): boolean =>
    end !== undefined && Date.parse(state.from) >= end;
  const isBefore = (state: { readonly to: string | null }): boolean =>
    state.to !== null && Date.parse(state.to) <= Date.parse(incident.from);
  // The state right after the incident shows how it ended; later states do not belong to it.
  const after = answer?.healthHistory.find(isAfter);
  const states = (answer?.healthHistory ?? []).filter((state) => state === after || !isAfter(state));
  const hidden = states.length - MOST_STATES;
  const more = hidden > 0 ? `; ${hidden} later states are not shown` : '';
  return (
    <>
      <p>
        <a href={linkTo(['node', node], { from, to })}>
          This whole time on the page of {isOnly ? 'the node' : <bdi>{toPrintable(node)}</bdi>}
        </a>
      </p>
      {error && <Trouble error={error} answeredMs={answeredMs} zone={zone} again={again} />}
      {answer && (
        <Table
          stacks
          caption={`What happened${isOnly ? '' : ` at ${toPrintable(node)}`}, in order of time${more}`}
          none="No state recorded in this time."
          columns={['From', 'State', 'For', 'Rule', 'Reason']}
          rows={states.slice(0, MOST_STATES).map((interval) => [
            <IntervalLink node={node} from={interval.from} to={interval.to ?? now} zone={zone} />,
            <span>
              <StateBadge name={interval.state.toLowerCase()} state={interval.state} bare />{' '}
              {interval === after && <small>after its end</small>}
              {isBefore(interval) && <small>before its first sign</small>}
            </span>,
            duration(Date.parse(interval.to ?? now) - Date.parse(interval.from)),
            interval.rule,
            <bdi>{sentence(interval.reason, zone)}</bdi>,
          ])}
        />
      )}
    </>
  );
}

/** A cell that names the node, if there are several. */
type NodeCell = (nodeId: string) => readonly ComponentChildren[];

function Tables({
  answer,
  isOnly,
  zone,
}: {
  readonly answer: IncidentTimeQuery;
  readonly isOnly: boolean;
  readonly zone: string;
}) {
  const { losses, submissions } = answer;
  const nodeColumn = isOnly ? [] : ['Node'];
  const nodeCell: NodeCell = (nodeId) => (isOnly ? [] : [<bdi>{toPrintable(nodeId)}</bdi>]);
  return (
    <>
      <Table
        stacks
        caption={`Failed attempts from its first sign on, the newest first${submissions.pageInfo.hasNextPage ? '; there are older ones' : ''}`}
        none="No failed attempt recorded."
        columns={['Time', ...nodeColumn, 'Cause', 'What to do', 'Message']}
        rows={submissions.nodes.map(({ id, nodeId, time, cause, message }) => [
          <a href={linkTo(['submission', id])}>{moment(time, zone)}</a>,
          ...nodeCell(nodeId ?? ''),
          cause?.title ?? 'unknown',
          cause?.remedy ?? '',
          <bdi>{toPrintable(message ?? '', LONGEST_MESSAGE)}</bdi>,
        ])}
      />
      <Table
        stacks
        caption="Gaps: submissions that left the list unrecorded, or may have"
        none="No gap recorded."
        columns={['From', 'To', ...nodeColumn, 'What happened']}
        rows={losses.nodes.map((loss) => [
          loss.from === null ? (
            'before the start'
          ) : (
            <IntervalLink node={loss.nodeId} from={loss.from} to={loss.to} zone={zone} />
          ),
          loss.open ? 'open' : moment(loss.to, zone),
          ...nodeCell(loss.nodeId),
          sentence(loss.explanation, zone),
        ])}
      />
    </>
  );
}
