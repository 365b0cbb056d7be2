import type { Incident } from '../api/incidents/incident.type.js';
import { duration } from '../domain/health/health-rule.js';
import { incidentInWords } from '../domain/health/trouble.js';
import { formatTime, nanosToMicros, nanosToMillis } from '../domain/time.js';
import { toJsonText } from './json.js';
import { toSecond } from './moments.js';
import { printTable, type Column } from '../platform/table.js';

const COLUMNS: readonly Column<Incident>[] = [
  { title: 'from', read: ({ from }) => toSecond(nanosToMicros(from)) },
  { title: 'to', read: ({ to }) => (to === null ? 'ongoing' : toSecond(nanosToMicros(to))) },
  { title: 'lasted', read: ({ from, to }) => (to === null ? '' : duration(nanosToMillis(to - from))) },
  { title: 'severity', read: ({ severity }) => severity },
  { title: 'affected', read: incidentInWords },
  { title: 'occurrences', read: ({ signs }) => String(signs), isNumber: true },
  { title: 'rule', read: ({ rule }) => rule },
  { title: 'id', read: ({ id }) => id },
];

interface IncidentPage {
  readonly nodes: readonly Incident[];
  readonly pageInfo: { readonly hasNextPage: boolean };
}

/** A page of incidents as JSON, with the names of GraphQL. */
export function incidentsToJson({ nodes, pageInfo }: IncidentPage): string {
  const incidents = nodes.map((incident) => ({
    id: incident.id,
    chain: incident.chain,
    nodes: incident.nodes.map(({ nodeId }) => nodeId),
    component: incident.component,
    severity: incident.severity,
    presentState: incident.presentState,
    rule: incident.rule,
    reason: incident.reason,
    from: formatTime(incident.from),
    to: incident.to === null ? null : formatTime(incident.to),
    signs: incident.signs,
    acknowledgedBy: incident.acknowledgedBy,
  }));
  return toJsonText({ incidents, hasMore: pageInfo.hasNextPage });
}

/** A page of incidents as a table; one sentence if there are none. */
export function printIncidents({ nodes, pageInfo }: IncidentPage): string {
  if (nodes.length === 0) return 'No incident is recorded.\n';
  const older = pageInfo.hasNextPage
    ? 'Older incidents: `hindsight export incidents` lists all of them.\n'
    : '';
  return `${printTable(COLUMNS, nodes)}\n${older}\`hindsight incident ID\` prints a post-mortem.\n`;
}
