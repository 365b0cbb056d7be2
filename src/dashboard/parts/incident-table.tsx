import { duration } from '../../domain/health/health-rule.js';
import { incidentInWords } from '../../domain/health/trouble.js';
import { toPrintable } from '../../domain/printable-text.js';
import type { IncidentRowFragment, IncidentsQuery } from '../data/answers.gen.js';
import { linkTo } from '../data/view.js';
import { moment, sentence } from '../data/words.js';
import { StateBadge } from './state-badge.js';
import { Table } from './table.js';

function incidentPath({ id }: { readonly id: string }): string {
  return linkTo(['incident', id]);
}

/** A duration within an incident, in ms, worded as in its post-mortem. */
export function lengthInWords(ms: number | null): string {
  return ms === null ? 'unknown' : duration(ms);
}

/** Duration up to the incident's end, or up to the last sign of it. */
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
  /** The moment shown. */
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
