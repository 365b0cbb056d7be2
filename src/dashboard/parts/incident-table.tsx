import { duration } from '../../domain/health/health-rule.js';
import { incidentInWords } from '../../domain/health/trouble.js';
import { toPrintable } from '../../domain/printable-text.js';
import type { IncidentRowFragment, IncidentsQuery } from '../data/answers.gen.js';
import { linkTo } from '../data/view.js';
import { moment, sentence } from '../data/words.js';
import { StateBadge } from './state-badge.js';
import { Table } from './table.js';

/** The path of an incident's page. */
function incidentPath({ id }: { readonly id: string }): string {
  return linkTo(['incident', id]);
}

/** A length of time in an incident, as its post-mortem tells it. */
export function lengthInWords(ms: number | null): string {
  return ms === null ? 'unknown' : duration(ms);
}

/** How long it lasted: up to its end, or to the last time that is known of it. */
export function lengthOf({ from, to, lastSignAt }: IncidentRowFragment, now: string): string {
  return duration(Date.parse(to ?? lastSignAt ?? now) - Date.parse(from));
}

/** Incidents as a table, each with a link to its page. */
export function IncidentTable({
  answer,
  now,
  zone,
  of = 'Incidents',
}: {
  readonly answer: IncidentsQuery;
  /** The moment that is looked at. */
  readonly now: string;
  readonly zone: string;
  readonly of?: string;
}) {
  const { nodes, pageInfo } = answer.incidents;
  return (
    <Table
      stacks
      caption={`${of}, the newest first${pageInfo.hasNextPage ? '; there are older ones' : ''}`}
      none="No incident is recorded."
      columns={['From', 'To', 'Affected', 'Severity', 'Lasted', 'Occurrences', 'Acknowledged', 'Problem']}
      rows={nodes.map((incident) => [
        <a href={incidentPath(incident)}>{moment(incident.from, zone)}</a>,
        incident.to === null ? 'ongoing' : moment(incident.to, zone),
        <bdi>{incidentInWords(incident)}</bdi>,
        <StateBadge name={incident.severity.toLowerCase()} state={incident.severity} bare />,
        lengthOf(incident, now),
        incident.signs,
        <bdi>{toPrintable(incident.acknowledgedBy ?? 'no')}</bdi>,
        <bdi>{sentence(incident.reason, zone)}</bdi>,
      ])}
    />
  );
}
