import { HealthComponents } from '../../health/health.type.js';
import { INCIDENT_SUBJECTS, TROUBLED_STATES } from '../../../domain/health/trouble.js';
import {
  filterIncidents,
  incidentsIn,
  INCIDENT_KEY,
  SELECT_INCIDENT,
  type IncidentRow,
} from '../../incidents/incident-rows.js';
import { toIncident, type Incident } from '../../incidents/incident.type.js';
import { type MadeColumn, propertyColumn } from '../export-column.js';
import type { ExportReaders } from '../export-readers.js';
import { readList, type ExportTable } from '../export-table.js';
import { bool, instant, texts, type ParameterValues, words } from '../parameters.js';
import { SqlLiterals } from '../sql-literals.js';
import { travel, TRAVEL_PARAMETERS } from './travel.js';

export const INCIDENT_PARAMETERS = {
  nodes: texts('ids of nodes'),
  chains: texts('chains of the nodes'),
  component: words(Object.values(HealthComponents), 'components'),
  subject: words([...INCIDENT_SUBJECTS], 'subjects'),
  severities: words([...TROUBLED_STATES], 'worst states'),
  open: bool('true: only incidents whose end has not been seen; false: only the others'),
  from: instant('only incidents that reach beyond this time'),
  to: instant('only incidents that begin before this time'),
  ...TRAVEL_PARAMETERS,
};

const column = propertyColumn<Incident>;
const COLUMNS: readonly MadeColumn<Incident>[] = [
  column('id', 'TEXT'),
  { name: 'node', kind: 'TEXT', read: ({ nodeId }) => nodeId },
  column('chain', 'TEXT'),
  column('component', 'WORD'),
  column('severity', 'WORD'),
  column('time', 'TIME'),
  column('from', 'TIME'),
  column('to', 'TIME'),
  column('open', 'BOOL'),
  column('lastSignAt', 'TIME'),
  column('rule', 'WORD'),
  column('reason', 'TEXT'),
  { name: 'signs', kind: 'INT64', read: ({ signs }) => BigInt(signs) },
  column('troubleMs', 'DOUBLE'),
  column('claim', 'TEXT'),
  column('claimDifferedMs', 'DOUBLE'),
  column('position', 'INT64'),
  column('subject', 'WORD'),
  {
    name: 'nodes',
    kind: 'TEXT',
    read: ({ nodes }) => [...new Set(nodes.map(({ nodeId }) => nodeId))].join(', '),
  },
  column('acknowledgedBy', 'TEXT'),
  column('acknowledgedAt', 'TIME'),
  column('endReason', 'TEXT'),
];

/** Exports incidents, oldest first. */
export function incidentsTable(readers: ExportReaders): ExportTable {
  const { source } = readers;
  return {
    open: async ({ component, subject, ...values }: ParameterValues<typeof INCIDENT_PARAMETERS>, page) => {
      const { filter, past } = await travel(readers, values);
      const literals = new SqlLiterals();
      const { from, conditions } = incidentsIn(past, literals);
      const filtered = filterIncidents({ ...filter, components: component, subjects: subject }, literals);
      const list = { name: 'incidents', from, conditions: [...conditions, ...filtered], key: INCIDENT_KEY };
      const toRows = (rows: readonly IncidentRow[]): Incident[] => rows.map((row) => toIncident(row));
      return readList(source, list, { columns: COLUMNS, select: SELECT_INCIDENT, toRows }, page);
    },
  };
}
