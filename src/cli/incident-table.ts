import type { Incident } from '../api/incidents/incident.type.js';
import { duration } from '../domain/health/health-rule.js';
import { incidentInWords } from '../domain/health/trouble.js';
import { nanosToMicros, nanosToMillis } from '../domain/time.js';
import { toSecond } from './moments.js';
import { printTable, type Column } from './table.js';

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

/** A page of incidents as a table; one sentence if there are none. */
export function printIncidents({
  nodes,
  pageInfo,
}: {
  readonly nodes: readonly Incident[];
  readonly pageInfo: { readonly hasNextPage: boolean };
}): string {
  if (nodes.length === 0) return 'No incident is recorded.\n';
  const older = pageInfo.hasNextPage
    ? 'Older incidents: `hindsight export incidents` lists all of them.\n'
    : '';
  return `${printTable(COLUMNS, nodes)}\n${older}\`hindsight incident ID\` prints a post-mortem.\n`;
}
