import { Inject, Injectable } from '@nestjs/common';
import type { HealthComponent } from '../../domain/health/health-rule.js';
import { TROUBLED_STATES, type TroubledState } from '../../domain/health/trouble.js';
import { millisToNanos, nanosToMicros, type Micros, type Millis, type Nanos } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { columnsFor } from '../../platform/rows/row-columns.js';
import type { Database } from '../../platform/sql.js';
import { toPage, toPageRequest, type Page, type PagingArgs } from '../graphql/connection.js';
import { codecFor, cursorsOf, keysetOrder, timeOfKey } from '../graphql/keyed-list.js';
import { anywhere, limitOf, SqlParameters, whereAll } from '../graphql/sql-text.js';
import { findPast, PRESENT, untilAsOf, type Past, type TravelArgs } from '../graphql/time-travel.js';
import { parseRowId } from '../objects/row-id.js';
import { QUESTION_TIME } from '../statistics/report-question.js';
import { linesIn } from './incident-lines.js';
import {
  countOpenIncidents,
  filterIncidents,
  INCIDENT_KEY,
  incidentsIn,
  SELECT_INCIDENT,
  selectOpenRoots,
  trouble,
  type IncidentConditions,
  type IncidentRow,
} from './incident-rows.js';
import { toIncident, type Incident, type IncidentFilter } from './incident.type.js';

const ROOTS = columnsFor({ node: 'text', component: 'text', fromAt: 'timestamptz' });
const MILLI_NS: Nanos = 1_000_000n;
/** Incidents of a node in a short time: one per component, plus one more per component that begins where the first ends. */
const MOST_AT_ONCE = 6;
/** Begin of the newest 2,000 signs of trouble, to which a search is limited. */
const NEWEST_FROM = `coalesce((${trouble('i.from_at')} ORDER BY i.from_at DESC OFFSET 2000 LIMIT 1), '-infinity')`;
const CURSORS = cursorsOf<IncidentRow>('incidents', INCIDENT_KEY, ({ rootFromAt, node, component }) => [
  timeOfKey(rootFromAt),
  node,
  component,
]);

/**
 * Reads incidents. They are computed from the intervals of health, which keep their versions; only joins of incidents are stored.
 */
@Injectable()
export class IncidentsQuery {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /** A page of incidents, newest first. */
  async getIncidents(
    filter: IncidentFilter,
    args: PagingArgs,
    travel: TravelArgs = {},
  ): Promise<Page<Incident>> {
    const codec = codecFor(CURSORS, filter, travel);
    const request = toPageRequest(args, codec);
    const past = await findPast(this.reads, travel);
    const parameters = new SqlParameters();
    const keyset = keysetOrder(INCIDENT_KEY, request, false, parameters);
    const conditions = [
      ...filterIncidents(conditionsOf(untilAsOf(filter, past)), parameters),
      ...keyset.conditions,
    ];
    const rest = `ORDER BY ${keyset.orderBy} LIMIT ${limitOf(request.size + 1)}`;
    const rows = await this.read(past, parameters, conditions, rest);
    return toPage(request, rows, codec, (row) => toIncident(row, past));
  }

  async findIncident(id: string, travel: TravelArgs): Promise<Incident | undefined> {
    const { type, parts: [node = '', component = '', at] = [] } = parseRowId(id) ?? {};
    const from = QUESTION_TIME.safeParse(at).data;
    if (type !== 'Incident' || from === undefined) return undefined;
    const past = await findPast(this.reads, travel);
    const parameters = new SqlParameters();
    const conditions = [
      `s.node = ${parameters.add(node, 'text')}`,
      `s.component = ${parameters.add(component, 'text')}`,
      ...parameters.compareTime('s.from_at', '>=', from),
      ...parameters.compareTime('s.from_at', '<', from + 1_000n),
      ...filterIncidents(untilAsOf({}, past), parameters),
    ];
    const rows = await this.read(past, parameters, conditions);
    return rows.map((row) => toIncident(row, past)).find((incident) => incident.id === id);
  }

  async findIncidentAt(node: string, component: HealthComponent, at: Millis): Promise<Incident | undefined> {
    const from = millisToNanos(at);
    const around = await this.findIncidentsAt(node, from, from + MILLI_NS);
    return around.find((incident) => incident.component === component);
  }

  /**
   * Incidents in which the node itself has trouble in a time, newest first. An incident that the node left before, and that is
   * ongoing on other nodes, does not count.
   * @param to excluded
   */
  async findIncidentsAt(node: string, from: Nanos, to: Nanos, travel: TravelArgs = {}): Promise<Incident[]> {
    const past = await findPast(this.reads, travel);
    const parameters = new SqlParameters();
    const micros = (time: Nanos): string => parameters.add(nanosToMicros(time), 'bigint');
    const isOwn = `part->>'node' = ${parameters.add(node, 'text')} AND (part->>'from')::bigint < ${micros(to)}
      AND coalesce((part->>'to')::bigint > ${micros(from)}, true)`;
    const conditions = [
      ...filterIncidents({ nodes: [node], from, to }, parameters),
      `EXISTS (SELECT FROM json_array_elements(told.parts) part WHERE ${isOwn})`,
    ];
    const rest = `ORDER BY s.from_at DESC, s.component LIMIT ${limitOf(MOST_AT_ONCE)}`;
    return (await this.read(past, parameters, conditions, rest)).map((row) => toIncident(row, past));
  }

  /** Searches the ids of nodes and the reasons of the newest incidents, newest first. */
  async searchIncidents(text: string, first: number, past = PRESENT): Promise<Incident[]> {
    const parameters = new SqlParameters();
    const pattern = parameters.add(anywhere(text), 'text');
    const conditions = [
      `s.from_at >= ${NEWEST_FROM}`,
      `(array_to_string(told.nodes, ' ') ILIKE ${pattern} OR told.reason ILIKE ${pattern})`,
      ...filterIncidents(untilAsOf({}, past), parameters),
    ];
    const rest = `ORDER BY s.from_at DESC, s.node, s.component LIMIT ${limitOf(first)}`;
    return (await this.read(past, parameters, conditions, rest)).map((row) => toIncident(row, past));
  }

  /**
   * The incidents that are open now, and those with these ids.
   * @param most how many at most; the latest first
   */
  async getOpenOr(ids: readonly string[], most: number): Promise<Incident[]> {
    const named = ROOTS.unnest(ids.flatMap(rootOf), 'named');
    const parameters = new SqlParameters(named.parameters);
    const open = selectOpenRoots(linesIn(PRESENT, parameters));
    const condition = `(s.node, s.component, s.from_at) IN (${open} UNION ALL SELECT node, component, from_at FROM ${named.sql})`;
    const rest = `ORDER BY s.from_at DESC, s.node, s.component LIMIT ${limitOf(most)}`;
    return (await this.read(PRESENT, parameters, [condition], rest)).map((row) => toIncident(row));
  }

  /** Number of incidents that are open now, of monitored nodes, by worst state. */
  async countOpen(): Promise<Readonly<Record<TroubledState, number>>> {
    const parameters = new SqlParameters();
    const sql = countOpenIncidents(parameters);
    const [row] = await this.reads.query<Record<TroubledState, number>[]>(sql, parameters.values);
    return (
      row ?? (Object.fromEntries(TROUBLED_STATES.map((state) => [state, 0])) as Record<TroubledState, 0>)
    );
  }

  private read(
    past: Past,
    parameters: SqlParameters,
    conditions: readonly string[],
    rest = '',
  ): Promise<IncidentRow[]> {
    const incidents = incidentsIn(past, parameters);
    return this.reads.query<IncidentRow[]>(
      `${SELECT_INCIDENT} ${incidents.from} ${whereAll([...incidents.conditions, ...conditions])} ${rest}`,
      parameters.values,
    );
  }
}

/** The first sign that an incident is named after; empty for a text that is no id of an incident. */
function rootOf(id: string): { node: string; component: string; fromAt: Micros }[] {
  const { type, parts: [node = '', component = '', at] = [] } = parseRowId(id) ?? {};
  const from = QUESTION_TIME.safeParse(at).data;
  return type === 'Incident' && from !== undefined ? [{ node, component, fromAt: nanosToMicros(from) }] : [];
}

function conditionsOf({ component, subject, ...rest }: IncidentFilter): IncidentConditions {
  const one = (value: string | null | undefined): string[] | undefined =>
    typeof value === 'string' ? [value] : undefined;
  return { ...rest, components: one(component), subjects: one(subject) };
}
