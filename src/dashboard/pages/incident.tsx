import INCIDENT_ROW from '../data/incident-row.graphql?raw';
import INCIDENT from '../data/incident.graphql?raw';
import { placeOf, problemOf } from '../../domain/health/trouble-titles.js';
import { nodeIdsOf } from '../../domain/health/trouble.js';
import { toPrintable } from '../../domain/printable-text.js';
import type { IncidentQuery, IncidentQueryVariables } from '../data/answers.gen.js';
import { useAnswer } from '../data/use-answer.js';
import { idOf, isPast, linkTo, momentOf, zoneOf, type View } from '../data/view.js';
import { moment, sentence } from '../data/words.js';
import { useTitle } from '../frame/title.js';
import { Empty, Skeleton } from '../parts/card.js';
import { Facts } from '../parts/facts.js';
import { ImpactFacts, ImpactTiles, useImpact } from '../parts/impact.js';
import { IncidentHead, WhatToDo } from '../parts/incident-head.js';
import { lengthInWords } from '../parts/incident-table.js';
import { IncidentTime } from '../parts/incident-time.js';
import { Proof } from '../parts/proof.js';
import { StateBadge } from '../parts/state-badge.js';
import { Table } from '../parts/table.js';

type IncidentAnswer = NonNullable<IncidentQuery['incident']>;

/** Shows one incident, `/incident/{id}`: the problem, what to do, its impact, what happened, and the proof of it. */
export function IncidentPage({ view }: { readonly view: View }) {
  const [past, zone, id] = [momentOf(view), zoneOf(view), idOf(view.path)];
  const variables = (): IncidentQueryVariables => ({ id, ...past });
  const { answer, error, again } = useAnswer<IncidentQuery>(
    [INCIDENT + INCIDENT_ROW, JSON.stringify([id, past]), variables],
    { on: [{ kind: 'IncidentChanged' }] },
  );
  const incident = answer?.incident;
  useTitle(incident ? `${problemOf(incident)}: ${placeOf(incident)}` : 'Incident');
  if (answer && incident)
    return (
      <Incident
        key={incident.id}
        now={past.asOf ?? past.knownAt ?? answer.now}
        {...{ incident, view, zone, again }}
      />
    );
  return (
    <>
      <h1>Incident</h1>
      {answer === undefined && error === undefined && <Skeleton lines={12} />}
      {incident === null && (
        <Empty title={`No incident with this id is known${isPast(view) ? ' at this moment' : ''}.`}>
          <bdi>{toPrintable(id)}</bdi>
          <p>
            <a href={linkTo(['incidents'])}>All incidents</a>
          </p>
        </Empty>
      )}
    </>
  );
}

interface Given {
  readonly incident: IncidentAnswer;
  /** The present, or the moment shown, ISO 8601. */
  readonly now: string;
  readonly view: View;
  readonly zone: string;
}

function Incident(given: Given & { readonly again: () => void }) {
  const { incident, now, view, zone, again } = given;
  const impact = useImpact(incident, view);
  const isOne = nodeIdsOf(incident).length === 1;
  return (
    <>
      <IncidentHead incident={incident} now={isPast(view) ? now : undefined} zone={zone} />
      <div class="incident">
        <div>
          <WhatToDo incident={incident} isPast={isPast(view)} zone={zone} again={again} />
          {impact ? <ImpactTiles impact={impact} /> : <Skeleton lines={4} />}
        </div>
        <div>
          {!isOne && <Nodes incident={incident} zone={zone} />}
          <IncidentTime {...{ incident, now, view, zone }} />
        </div>
        <div class="aside">
          <Proof incident={incident} view={view} />
          <Times incident={incident} isOne={isOne} zone={zone} />
          {impact && <ImpactFacts report={impact.report} />}
          {!isOne && <p class="quiet">Submissions, blocks and cost are those of the whole chain.</p>}
        </div>
      </div>
    </>
  );
}

function Nodes({ incident, zone }: { readonly incident: IncidentAnswer; readonly zone: string }) {
  return (
    <Table
      title="Nodes"
      none=""
      stacks
      rows={incident.nodes}
      columns={[
        {
          name: 'Node',
          cell: ({ nodeId, from, to }) => (
            <a href={linkTo(['node', nodeId], { from, ...(to !== null && { to }) })}>{toPrintable(nodeId)}</a>
          ),
        },
        { name: 'Severity', cell: ({ severity }) => <StateBadge state={severity} /> },
        { name: 'From', cell: ({ from }) => moment(from, zone) },
        { name: 'To', cell: ({ to }) => (to === null ? 'ongoing' : moment(to, zone)) },
        { name: 'Reason', cell: ({ reason }) => <bdi class="text">{sentence(reason, zone)}</bdi> },
      ]}
    />
  );
}

function Times(given: { readonly incident: IncidentAnswer; readonly isOne: boolean; readonly zone: string }) {
  const { incident, isOne, zone } = given;
  const { from, to, lastSignAt, troubleMs, signs, rule, position } = incident;
  return (
    <Facts
      title="Incident"
      facts={[
        ['First sign', moment(from, zone)],
        ['Last sign', lastSignAt === null ? 'ongoing' : moment(lastSignAt, zone)],
        ['End', to !== null ? moment(to, zone) : lastSignAt === null ? 'ongoing' : 'recovering'],
        [isOne ? 'In trouble' : 'In trouble, sum of all nodes', lengthInWords(troubleMs)],
        ['Occurrences', String(signs)],
        ['Rule', toPrintable(rule)],
        ['First event', position],
      ]}
    />
  );
}
