import INCIDENT_ROW from '../data/incident-row.graphql?raw';
import INCIDENT from '../data/incident.graphql?raw';
import { placeOf, problemOf } from '../../domain/health/trouble-titles.js';
import { nodeIdsOf } from '../../domain/health/trouble.js';
import { toPrintable } from '../../domain/printable-text.js';
import type { IncidentQuery, IncidentQueryVariables } from '../data/answers.gen.js';
import { useAnswer } from '../data/use-answer.js';
import { idOf, isPast, linkTo, momentOf, type View } from '../data/view.js';
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
  const [past, id] = [momentOf(view), idOf(view.path)];
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
        {...{ incident, view, again }}
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
}

function Incident(given: Given & { readonly again: () => void }) {
  const { incident, now, view, again } = given;
  const impact = useImpact(incident, view);
  const isOne = nodeIdsOf(incident).length === 1;
  return (
    <>
      <IncidentHead incident={incident} now={isPast(view) ? now : undefined} />
      <div class="incident">
        <div>
          <WhatToDo incident={incident} isPast={isPast(view)} again={again} />
          {impact ? <ImpactTiles impact={impact} /> : <Skeleton lines={4} />}
        </div>
        <div>
          {!isOne && <Nodes incident={incident} />}
          <IncidentTime {...{ incident, now, view }} />
        </div>
        <div class="aside">
          <Proof incident={incident} view={view} />
          <Times incident={incident} isOne={isOne} />
          {impact && <ImpactFacts report={impact.report} />}
          {!isOne && <p class="quiet">Submissions, blocks and cost are those of the whole chain.</p>}
        </div>
      </div>
    </>
  );
}

function Nodes({ incident }: { readonly incident: IncidentAnswer }) {
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
        { name: 'From', cell: ({ from }) => moment(from) },
        { name: 'To', cell: ({ to }) => (to === null ? 'ongoing' : moment(to)) },
        { name: 'Reason', cell: ({ reason }) => <bdi class="text">{sentence(reason)}</bdi> },
      ]}
    />
  );
}

function Times(given: { readonly incident: IncidentAnswer; readonly isOne: boolean }) {
  const { incident, isOne } = given;
  const { from, to, lastSignAt, troubleMs, signs, rule, position } = incident;
  return (
    <Facts
      title="Incident"
      facts={[
        ['First sign', moment(from)],
        ['Last sign', lastSignAt === null ? 'ongoing' : moment(lastSignAt)],
        ['End', to !== null ? moment(to) : lastSignAt === null ? 'ongoing' : 'recovering'],
        [isOne ? 'In trouble' : 'In trouble, sum of all nodes', lengthInWords(troubleMs)],
        ['Occurrences', String(signs)],
        ['Rule', toPrintable(rule)],
        ['First event', position],
      ]}
    />
  );
}
