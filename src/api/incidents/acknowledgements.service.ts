import { Inject, Injectable } from '@nestjs/common';
import { millisToMicros } from '../../domain/time.js';
import { EventStore } from '../../event-log/event-store.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { badUserInput } from '../errors.js';
import { toNanos } from '../graphql/scalars.js';
import {
  acknowledgementStream,
  readAcknowledgements,
  type AcknowledgedRow,
} from './acknowledgements.reader.js';
import { IncidentAcknowledgement } from './acknowledgement.type.js';
import type { Incident } from './incident.type.js';

/** Characters. */
const LONGEST_NOTE = 1_000;

/** Records acknowledgements of incidents as events on a stream of the node, and reads them from there. */
@Injectable()
export class AcknowledgementsService {
  constructor(
    private readonly store: EventStore,
    @Inject(ReadDatabase) private readonly reads: Database,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  /** @throws ApiError BAD_USER_INPUT if the note is too long */
  async acknowledge({ id, nodeId }: Incident, note: string, by: string): Promise<IncidentAcknowledgement> {
    if (note.length > LONGEST_NOTE)
      throw badUserInput(`\`note\` has ${note.length} characters; the limit is ${LONGEST_NOTE}.`);
    const stream = acknowledgementStream(nodeId);
    const observedAt = this.options.clock.now();
    const event = { type: 'IncidentAcknowledged', observedAt, body: { incident: id, note, by } } as const;
    for (;;) {
      const { version } = await this.store.loadStream(stream);
      const appended = await this.store.append({ stream, expectedVersion: version, events: [event] });
      if (!appended.won) continue;
      // Reads from the primary: a replica may not have the event yet.
      const [recorded] = await this.store.readStreamBack(stream, [], 1, appended.version + 1n);
      const position = recorded?.position ?? 0n;
      return toAcknowledgement(id, { by, note, atUs: millisToMicros(observedAt), position });
    }
  }

  /** Acknowledgements of an incident in its past, oldest first; at most 100. */
  async getOf({ id, nodeId, past }: Incident): Promise<IncidentAcknowledgement[]> {
    const { rows } = await readAcknowledgements(this.reads, { id, node: nodeId }, past);
    return rows.map((row) => toAcknowledgement(id, row));
  }

  async countOf({ id, nodeId, past }: Incident): Promise<number> {
    return (await readAcknowledgements(this.reads, { id, node: nodeId }, past)).count;
  }
}

function toAcknowledgement(
  incidentId: string,
  { by, note, atUs, position }: AcknowledgedRow,
): IncidentAcknowledgement {
  return Object.assign(new IncidentAcknowledgement(), { incidentId, by, note, at: toNanos(atUs), position });
}
