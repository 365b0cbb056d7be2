import { Injectable } from '@nestjs/common';
import type { Incident } from '../incidents/incident.type.js';
import { IncidentsQuery } from '../incidents/incidents.query.js';

/** The most incidents that are compared; of more open ones, the latest. */
const MOST_INCIDENTS = 1_000;

/** Finds the incidents that changed since they were last read. An incident is computed, so no row says that it changed. */
@Injectable()
export class IncidentChanges {
  /** The open incidents, by id, as they were last read; undefined: not read. */
  private known: Map<string, string> | undefined;

  constructor(private readonly incidents: IncidentsQuery) {}

  /** Whether an incident is open, which time alone can end. */
  get areAnyOpen(): boolean {
    return this.known !== undefined && this.known.size > 0;
  }

  /** Reads the incidents that changes are compared with, unless they are known. */
  async begin(): Promise<void> {
    if (this.known === undefined) await this.findChanged([]);
  }

  forget(): void {
    this.known = undefined;
  }

  /** @param noted ids of incidents that changed in any case */
  async findChanged(noted: readonly string[]): Promise<Incident[]> {
    const before = this.known ?? new Map<string, string>();
    const ids = [...new Set([...before.keys(), ...noted])];
    const found = (await this.incidents.getOpenOr(ids, MOST_INCIDENTS)).map((incident) => ({
      incident,
      print: printOf(incident),
    }));
    this.known = new Map(
      found.filter(({ incident }) => incident.open).map(({ incident, print }) => [incident.id, print]),
    );
    return found
      .filter(({ incident: { id }, print }) => before.get(id) !== print || noted.includes(id))
      .map(({ incident }) => incident);
  }
}

/** All of an incident that changes by what is recorded. Numbers in its words change by time alone. */
function printOf(incident: Incident): string {
  const { from, to, severity, presentState, rule, signs, lastSignAt, acknowledgedBy, acknowledgedAt } =
    incident;
  const nodes = incident.nodes.map((node) => [node.nodeId, node.from, node.to, node.severity, node.rule]);
  const parts = [
    from,
    to,
    severity,
    presentState,
    rule,
    signs,
    lastSignAt,
    acknowledgedBy,
    acknowledgedAt,
    nodes,
  ];
  return JSON.stringify(parts, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}
