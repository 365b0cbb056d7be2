import { nanosToMicros, type Nanos } from '../../../domain/time.js';
import { HealthComponents } from '../../health/health.type.js';
import { INCIDENT_SUBJECTS, TROUBLED_STATES } from '../../../domain/health/trouble.js';
import {
  filterIncidents,
  incidentsIn,
  INCIDENT_KEY,
  SELECT_INCIDENT,
  type IncidentRow,
} from '../../incidents/incident-rows.js';
import { Incident } from '../../incidents/incident.type.js';
import type { Cell, ExportColumn } from '../export-column.js';
import type { ExportReaders } from '../export-readers.js';
import { readList, type ExportTable } from '../export-table.js';
import { instant, texts, type ValuesOf, words } from '../parameters.js';
import { SqlLiterals } from '../sql-literals.js';
import { travel, TRAVEL_PARAMETERS } from './travel.js';

/** The parameters besides `limit` and `cursor`. */
export const INCIDENT_PARAMETERS = {
  nodes: texts('ids of nodes'),
  chains: texts('chains of the nodes'),
  component: words(Object.values(HealthComponents), 'components'),
  subject: words([...INCIDENT_SUBJECTS], 'subjects'),
  severities: words([...TROUBLED_STATES], 'worst states'),
  from: instant('only incidents that reach beyond this time'),
  to: instant('only incidents that begin before this time'),
  ...TRAVEL_PARAMETERS,
};

const COLUMNS: readonly ExportColumn[] = [
  { name: 'id', kind: 'TEXT' },
  { name: 'node', kind: 'TEXT' },
  { name: 'chain', kind: 'TEXT' },
  { name: 'component', kind: 'WORD' },
  { name: 'severity', kind: 'WORD' },
  { name: 'time', kind: 'TIME' },
  { name: 'from', kind: 'TIME' },
  { name: 'to', kind: 'TIME' },
  { name: 'open', kind: 'BOOL' },
  { name: 'last_sign_at', kind: 'TIME' },
  { name: 'rule', kind: 'WORD' },
  { name: 'reason', kind: 'TEXT' },
  { name: 'signs', kind: 'INT64' },
  { name: 'trouble_ms', kind: 'DOUBLE' },
  { name: 'claim', kind: 'TEXT' },
  { name: 'claim_differed_ms', kind: 'DOUBLE' },
  { name: 'position', kind: 'INT64' },
  { name: 'subject', kind: 'WORD' },
  { name: 'nodes', kind: 'TEXT' },
  { name: 'acknowledged_by', kind: 'TEXT' },
  { name: 'acknowledged_at', kind: 'TIME' },
  { name: 'end_reason', kind: 'TEXT' },
];

/** Exports incidents, oldest first. */
export function incidentsTable(readers: ExportReaders): ExportTable {
  const { source } = readers;
  return {
    open: async ({ component, subject, ...values }: ValuesOf<typeof INCIDENT_PARAMETERS>, page) => {
      const { filter, past } = await travel(readers, values);
      const literals = new SqlLiterals();
      const { from, conditions } = incidentsIn(past, literals);
      const filtered = filterIncidents({ ...filter, components: component, subjects: subject }, literals);
      const list = { name: 'incidents', from, conditions: [...conditions, ...filtered], key: INCIDENT_KEY };
      const toCells = (rows: readonly IncidentRow[]): Cell[][] =>
        rows.map((row) => cellsOf(new Incident(row)));
      return readList(source, list, { columns: COLUMNS, select: SELECT_INCIDENT, toCells }, page);
    },
  };
}

function cellsOf(incident: Incident): Cell[] {
  const micros = (time: Nanos | null): Cell => (time === null ? null : nanosToMicros(time));
  return [
    incident.id,
    incident.nodeId,
    incident.chain,
    incident.component,
    incident.severity,
    micros(incident.time),
    micros(incident.from),
    micros(incident.to),
    incident.open,
    micros(incident.lastSignAt),
    incident.rule,
    incident.reason,
    BigInt(incident.signs),
    incident.troubleMs,
    incident.claim,
    incident.claimDifferedMs,
    incident.position,
    incident.subject,
    [...new Set(incident.nodes.map(({ nodeId }) => nodeId))].join(', '),
    incident.acknowledgedBy,
    micros(incident.acknowledgedAt),
    incident.endReason,
  ];
}
