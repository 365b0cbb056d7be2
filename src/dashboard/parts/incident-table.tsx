import type { ComponentChildren } from 'preact';
import { duration } from '../../domain/health/health-rule.js';
import { placeOf, problemOf } from '../../domain/health/trouble-titles.js';
import { toPrintable } from '../../domain/printable-text.js';
import type { IncidentRowFragment, IncidentsQuery } from '../data/answers.gen.js';
import { isPast, linkTo, viewOf } from '../data/view.js';
import { presentStateOf } from '../data/verdict.js';
import { moment, sentence } from '../data/words.js';
import { Ago, Since } from './ago.js';
import { IncidentState } from './incident-state.js';
import { Table } from './table.js';

const LONGEST_NAME = 40;
/** The page of the incident has the whole reason. */
const LONGEST_REASON = 300;

/** A duration within an incident, in ms, worded as in its post-mortem. */
export function lengthInWords(ms: number | null): string {
  return ms === null ? 'unknown' : duration(ms);
}

/** Duration up to the incident's end, or up to the last sign of it. */
export function lengthOf({ from, to, lastSignAt }: IncidentRowFragment, now: string): string {
  return duration(Date.parse(to ?? lastSignAt ?? now) - Date.parse(from));
}

export function IncidentTable({
  incidents,
  title,
  none = 'No incident is recorded.',
  actions,
  children,
}: {
  readonly incidents: { readonly nodes: IncidentsQuery['incidents']['nodes'] } & {
    readonly pageInfo: { readonly hasNextPage: boolean };
  };
  readonly title: string;
  readonly none?: string;
  readonly actions?: ComponentChildren;
  /** Shown below the rows in place of the link to all incidents. */
  readonly children?: ComponentChildren;
}) {
  const { nodes, pageInfo } = incidents;
  const older = pageInfo.hasNextPage && (
    <p>
      <a href={linkTo(['incidents'])}>Older incidents</a>
    </p>
  );
  return (
    <Table
      stacks
      title={title}
      none={none}
      actions={actions}
      rows={nodes}
      columns={[
        {
          name: 'Severity',
          cell: (incident) => (
            <div class="incident-state">
              <IncidentState incident={incident} />
            </div>
          ),
        },
        {
          name: 'Problem',
          cell: (incident) => (
            <a class="text" href={linkTo(['incident', incident.id])}>
              {problemOf(incident)}: <bdi>{placeOf(incident)}</bdi>
            </a>
          ),
        },
        { name: 'Began', cell: ({ from }) => <Ago at={from} /> },
        { name: 'Lasted', cell: (incident) => <Lasted incident={incident} /> },
        { name: 'Occurrences', isNumber: true, cell: ({ signs }) => signs },
        {
          name: 'Acknowledged',
          cell: ({ acknowledgedBy }) =>
            acknowledgedBy === null ? (
              <span class="quiet">no</span>
            ) : (
              <bdi>{toPrintable(acknowledgedBy, LONGEST_NAME)}</bdi>
            ),
        },
        {
          name: 'Reason',
          cell: ({ reason }) => <bdi class="text">{sentence(reason, LONGEST_REASON)}</bdi>,
        },
      ]}
    >
      {children ?? older}
    </Table>
  );
}

/** How long an incident lasted; marked while it is open. */
function Lasted({ incident }: { readonly incident: IncidentRowFragment }) {
  const { from, to, lastSignAt } = incident;
  if (to !== null) return <span title={`until ${moment(to)}`}>{lengthOf(incident, to)}</span>;
  // The badge says that it is recovering.
  if (lastSignAt !== null) return <Since at={from} until={lastSignAt} />;
  return (
    <strong class={`ongoing ${presentStateOf(incident) ?? ''}`}>
      ongoing
      {!isPast(viewOf(location.href)) && (
        <>
          , <Since at={from} />
        </>
      )}
    </strong>
  );
}
