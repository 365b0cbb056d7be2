import { Inject, Injectable } from '@nestjs/common';
import { toPrintable } from '../../domain/printable-text.js';
import { millisToMicros } from '../../domain/time.js';
import { appendNext } from '../../event-log/append-next.js';
import { EventStore } from '../../event-log/event-store.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ApiError, badUserInput } from '../errors.js';
import { toNanos } from '../graphql/scalars.js';
import { IncidentsQuery } from './incidents.query.js';
import { incidentStream, readNotes, type NoteRow, type NoteType } from './incident-notes.reader.js';
import type { IncidentNote } from './incident-note.type.js';
import type { Incident } from './incident.type.js';

/** Characters. */
const LONGEST_NOTE = 1_000;

/** Records acknowledgements of incidents and notes on them as events on a stream of the node, and reads them from there. */
@Injectable()
export class IncidentNotesService {
  constructor(
    private readonly store: EventStore,
    private readonly incidents: IncidentsQuery,
    @Inject(ReadDatabase) private readonly reads: Database,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  /** @throws ApiError NOT_FOUND for an unknown incident, BAD_USER_INPUT for a note that is too long or cannot be shown */
  async record(type: NoteType, id: string, note: string, by: string): Promise<IncidentNote> {
    if (note.length > LONGEST_NOTE)
      throw badUserInput(`\`note\` has ${note.length} characters; the limit is ${LONGEST_NOTE}.`);
    if (type === 'IncidentNoted' && (note.trim() === '' || toPrintable(note) !== note))
      throw badUserInput('`note` must have printable characters in one line.');
    const incident = await this.incidents.findIncident(id, {});
    if (!incident) throw new ApiError('NOT_FOUND', `There is no incident ${JSON.stringify(id)}.`);
    const stream = incidentStream(incident.nodeId);
    const observedAt = this.options.clock.now();
    const event = { type, observedAt, body: { incident: id, note, by } };
    const version = await appendNext(this.store, stream, event);
    // Reads from the primary: a replica may not have the event yet.
    const [recorded] = await this.store.readStreamBack(stream, [], 1, version + 1n);
    const position = recorded?.position ?? 0n;
    return toNote(id, { by, note, atUs: millisToMicros(observedAt), position });
  }

  /** Those of an incident in its past, oldest first; at most 100. */
  async getOf(type: NoteType, { id, nodeId, past }: Incident): Promise<IncidentNote[]> {
    const { rows } = await readNotes(this.reads, type, { id, node: nodeId }, past);
    return rows.map((row) => toNote(id, row));
  }

  async countOf(type: NoteType, { id, nodeId, past }: Incident): Promise<number> {
    return (await readNotes(this.reads, type, { id, node: nodeId }, past)).count;
  }
}

function toNote(incidentId: string, { by, note, atUs, position }: NoteRow): IncidentNote {
  return { incidentId, by, note, at: toNanos(atUs), position };
}
