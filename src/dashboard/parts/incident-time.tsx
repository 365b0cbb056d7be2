import INCIDENT_TIME from '../data/incident-time.graphql?raw';
import { duration } from '../../domain/health/health-rule.js';
import { SUBMISSION_STATUSES } from '../../domain/submissions/submission-codes.js';
import { toPrintable } from '../../domain/printable-text.js';
import type {
  IncidentRowFragment,
  IncidentTimeQuery,
  IncidentTimeQueryVariables,
} from '../data/answers.gen.js';
import { useAnswer } from '../data/use-answer.js';
import { linkTo, momentOf, type View } from '../data/view.js';
import { moment } from '../data/words.js';
import { nodeIdsOf } from '../../domain/health/trouble.js';
import { IntervalLink } from './interval-link.js';
import { StateBadge } from './state-badge.js';
import { Trouble, useDrawn } from './states.js';
import { Table } from './table.js';

const FAILURES = SUBMISSION_STATUSES.filter((status) => status !== 'SUCCESS');
/** Before and after an incident so much is shown as well, in ms. */
const MARGIN_MS = 60_000;
/** Of one that flaps for long the table shows so many states at its beginning. */
const MOST_STATES = 200;
/** In a table: the whole of it stands on the page of its submission. */
const LONGEST_MESSAGE = 300;

/**
 * What happened in the time of an incident: states of the node with the first sign, losses and failed attempts of all.
 * Each is a table.
 */
export function IncidentTime(given: {
  readonly incident: IncidentRowFragment;
  readonly now: string;
  readonly view: View;
  readonly zone: string;
}) {
  const { incident, now, view, zone } = given;
  const from = new Date(Date.parse(incident.from) - MARGIN_MS).toISOString();
  const to = new Date(Date.parse(incident.to ?? now) + MARGIN_MS).toISOString();
  const asked = momentOf(view);
  const { answer, error, answeredMs, again } = useAnswer<IncidentTimeQuery>(
    INCIDENT_TIME,
    JSON.stringify([incident.id, incident.to, asked]),
    (): IncidentTimeQueryVariables => ({
      ...asked,
      node: incident.nodeId,
      nodes: nodeIdsOf(incident),
      component: incident.component,
      failures: FAILURES,
      from,
      to,
    }),
  );
  useDrawn((answer ?? error) !== undefined);
  return (
    <>
      <p>
        <a href={linkTo(['node', incident.nodeId], { from, to })}>All of this time on the page of the node</a>
      </p>
      {error && <Trouble error={error} answeredMs={answeredMs} zone={zone} again={again} />}
      {answer && <Tables answer={answer} node={incident.nodeId} now={now} zone={zone} />}
    </>
  );
}

function Tables({
  answer,
  node,
  now,
  zone,
}: {
  readonly answer: IncidentTimeQuery;
  readonly node: string;
  readonly now: string;
  readonly zone: string;
}) {
  const { healthHistory, losses, submissions } = answer;
  const hidden = healthHistory.length - MOST_STATES;
  return (
    <>
      <Table
        stacks
        caption={`What happened, in the order of time${hidden > 0 ? `; ${hidden} later states are not shown` : ''}`}
        none="No state is known of this time."
        columns={['From', 'State', 'For', 'Rule', 'Why']}
        rows={healthHistory
          .slice(0, MOST_STATES)
          .map((interval) => [
            <IntervalLink node={node} from={interval.from} to={interval.to ?? now} zone={zone} />,
            <StateBadge name={interval.state.toLowerCase()} state={interval.state} bare />,
            duration(Date.parse(interval.to ?? now) - Date.parse(interval.from)),
            interval.rule,
            <bdi>{toPrintable(interval.reason)}</bdi>,
          ])}
      />
      <Table
        stacks
        caption={`Failed attempts, the newest first${submissions.pageInfo.hasNextPage ? '; there are older ones' : ''}`}
        none="No attempt failed, as far as it is recorded."
        columns={['Time', 'Cause', 'What to do', 'Message']}
        rows={submissions.nodes.map(({ id, time, cause, message }) => [
          <a href={linkTo(['submission', id])}>{moment(time, zone)}</a>,
          cause?.title ?? 'not known',
          cause?.remedy ?? '',
          <bdi>{toPrintable(message ?? '', LONGEST_MESSAGE)}</bdi>,
        ])}
      />
      <Table
        stacks
        caption="Losses: rows that were in the list and never seen"
        none="No loss is recorded."
        columns={['From', 'To', 'What happened']}
        rows={losses.nodes.map((loss) => [
          loss.from === null ? (
            'before the start'
          ) : (
            <IntervalLink node={node} from={loss.from} to={loss.to} zone={zone} />
          ),
          loss.open ? 'open' : moment(loss.to, zone),
          loss.explanation,
        ])}
      />
    </>
  );
}
