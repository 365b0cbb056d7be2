import INCIDENT_ROW from '../data/incident-row.graphql?raw';
import INCIDENT from '../data/incident.graphql?raw';
import { incidentInWords, nodeIdsOf } from '../../domain/health/trouble.js';
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
    incident ? `Incident: ${titleOf(incident)}` : 'Incident',
  );
  return (
    <>
      <h1 class="verdict">
        <small>Incident</small> <bdi>{incident ? titleOf(incident) : toPrintable(id)}</bdi>
      </h1>
      {error && <Trouble error={error} answeredMs={answeredMs} zone={zone} again={again} />}
      {incident === null && (
        <p class="panel">
          No incident of this name is known at this moment. <a href={linkTo([])}>To the fleet</a>
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
      caption="Its nodes, by their first sign; the figures below are those of the chain"
      none=""
      columns={['Node', 'From', 'To', 'Worst', 'What was the matter']}
      rows={incident.nodes.map(({ nodeId, from, to, severity, reason }) => [
        <a href={linkTo(['node', nodeId], { from, ...(to !== null && { to }) })}>{toPrintable(nodeId)}</a>,
        moment(from, zone),
        to === null ? 'goes on' : moment(to, zone),
        <StateBadge name={severity.toLowerCase()} state={severity} bare />,
        <bdi>{sentence(reason, zone)}</bdi>,
      ])}
    />
  );
}

function titleOf(incident: Incident): string {
  const { chain } = incident;
  return `${incidentInWords(incident)}${chain === null ? '' : `, ${toPrintable(chain)}`}`;
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
    ['End', to === null ? 'none seen yet' : moment(to, zone)],
    ['Last sign', lastSignAt === null ? 'it lasts' : moment(lastSignAt, zone)],
    ['Lasted', lengthOf(incident, now)],
    [isOne ? 'In trouble' : 'In trouble, added up over its nodes', lengthInWords(troubleMs)],
    ['Intervals of trouble', String(signs)],
    ['Decided by the rule', incident.rule],
    ['First told by event', incident.position],
  ];
  return (
    <section class="panel">
      <div class="states">
        <StateBadge name={severity.toLowerCase()} state={severity} bare />
        {to === null && <span class="state WARNING">! it goes on</span>}
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
          <strong>How it ended:</strong> <bdi>{sentence(endReason, zone)}</bdi>
        </p>
      )}
      {claim !== null && (
        <p>
          Meanwhile {isOne ? 'the node' : 'a node of it'} claimed “<bdi>{toPrintable(claim)}</bdi>”, which was
          false for {lengthInWords(claimDifferedMs)}
          {isOne ? '' : ', added up over its nodes'}.
        </p>
      )}
      {incident.acknowledgementCount > incident.acknowledgements.length && (
        <p>
          It was acknowledged {incident.acknowledgementCount} times; these are the first{' '}
          {incident.acknowledgements.length}.
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
