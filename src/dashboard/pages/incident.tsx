import INCIDENT_ROW from '../data/incident-row.graphql?raw';
import INCIDENT from '../data/incident.graphql?raw';
import { incidentTitle, nodeIdsOf } from '../../domain/health/trouble.js';
import { toPrintable } from '../../domain/printable-text.js';
import type { IncidentQuery, IncidentQueryVariables } from '../data/answers.gen.js';
import { useAnswer } from '../data/use-answer.js';
import { idOf, linkTo, momentOf, zoneOf, type View } from '../data/view.js';
import { moment, sentence } from '../data/words.js';
import { IncidentTime } from '../parts/incident-time.js';
import { Impact } from '../parts/impact.js';
import { lengthInWords, lengthOf } from '../parts/incident-table.js';
import { StateBadge } from '../parts/state-badge.js';
import { Table } from '../parts/table.js';
import { Trouble, useDrawn } from '../parts/states.js';

type Incident = NonNullable<IncidentQuery['incident']>;

/** Shows one incident, `/incident/{id}`: what it was, what to do, and what happened in it. */
export function IncidentPage({ view }: { readonly view: View }) {
  const [past, zone, id] = [momentOf(view), zoneOf(view), idOf(view.path)];
  const { answer, error, answeredMs, again } = useAnswer<IncidentQuery>(
    INCIDENT + INCIDENT_ROW,
    JSON.stringify([id, past]),
    (): IncidentQueryVariables => ({ id, ...past }),
  );
  const incident = answer?.incident;
  useDrawn(
    incident === null || error !== undefined,
    incident ? `${incident.severity}: ${incidentTitle(incident)}` : 'Incident',
  );
  return (
    <>
      <h1 class="verdict">
        <small>Incident</small> <bdi>{incident ? incidentTitle(incident) : toPrintable(id)}</bdi>
      </h1>
      {error && <Trouble error={error} answeredMs={answeredMs} zone={zone} again={again} />}
      {incident === null && (
        <p class="panel">
          No incident with this id is known at this moment. <a href={linkTo([])}>To the fleet</a>
        </p>
      )}
      {answer && incident && (
        <>
          <Matter incident={incident} now={past.asOf ?? answer.now} zone={zone} />
          {nodeIdsOf(incident).length > 1 && <Nodes incident={incident} zone={zone} />}
          <Impact incident={incident} view={view} zone={zone} />
          <IncidentTime incident={incident} now={answer.now} view={view} zone={zone} />
        </>
      )}
    </>
  );
}

function Nodes({ incident, zone }: { readonly incident: Incident; readonly zone: string }) {
  return (
    <Table
      caption="Nodes, by their first sign; the figures below are those of the chain"
      none=""
      columns={['Node', 'From', 'To', 'Severity', 'Problem']}
      rows={incident.nodes.map(({ nodeId, from, to, severity, reason }) => [
        <a href={linkTo(['node', nodeId], { from, ...(to !== null && { to }) })}>{toPrintable(nodeId)}</a>,
        moment(from, zone),
        to === null ? 'ongoing' : moment(to, zone),
        <StateBadge name={severity.toLowerCase()} state={severity} bare />,
        <bdi>{sentence(reason, zone)}</bdi>,
      ])}
    />
  );
}

function Matter({
  incident,
  now,
  zone,
}: {
  readonly incident: Incident;
  readonly now: string;
  readonly zone: string;
}) {
  const {
    severity,
    from,
    to,
    lastSignAt,
    reason,
    means,
    remedy,
    signs,
    troubleMs,
    claim,
    claimDifferedMs,
    endReason,
  } = incident;
  const isOne = nodeIdsOf(incident).length === 1;
  const facts = [
    ['First sign', moment(from, zone)],
    ['End', to === null ? 'ongoing' : moment(to, zone)],
    ['Last sign', lastSignAt === null ? 'ongoing' : moment(lastSignAt, zone)],
    ['Lasted', lengthOf(incident, now)],
    [isOne ? 'In trouble' : 'In trouble, sum of all nodes', lengthInWords(troubleMs)],
    ['Occurrences', String(signs)],
    ['Rule', incident.rule],
    ['First event', incident.position],
  ];
  return (
    <section class="panel">
      <div class="states">
        <StateBadge name={severity.toLowerCase()} state={severity} bare />
        {to === null && <span class="state WARNING">! ongoing</span>}
      </div>
      <p>
        <bdi>{sentence(reason, zone)}</bdi>
      </p>
      {means !== null && <p>{means}</p>}
      {remedy !== null && (
        <p>
          <strong>What to do:</strong> {remedy}
        </p>
      )}
      {endReason !== null && (
        <p>
          <strong>Outcome:</strong> <bdi>{sentence(endReason, zone)}</bdi>
        </p>
      )}
      {claim !== null && (
        <p>
          Meanwhile {isOne ? 'the node' : 'one of the nodes'} reported “<bdi>{toPrintable(claim)}</bdi>”,
          which was false for {lengthInWords(claimDifferedMs)}
          {isOne ? '' : ' (sum of all nodes)'}.
        </p>
      )}
      {incident.acknowledgementCount > incident.acknowledgements.length && (
        <p>
          Acknowledged {incident.acknowledgementCount} times; the first {incident.acknowledgements.length} are
          listed.
        </p>
      )}
      {incident.acknowledgements.map(({ by, at, note }) => (
        <p key={at}>
          Acknowledged by <bdi>{toPrintable(by)}</bdi> at {moment(at, zone)}
          {note !== '' && (
            <>
              : <bdi>{toPrintable(note)}</bdi>
            </>
          )}
        </p>
      ))}
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
