import { ObjectType } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { dateTime, exactInt64, id, text } from '../graphql/fields.js';

@ObjectType({ isAbstract: true })
abstract class NoteFields {
  @id('`Incident.id`.') readonly incidentId: string;
  @text('Name of the API key; without a key the typed name, or `loopback`.') readonly by: string;
  @text('Their note.') readonly note: string;
  @dateTime("When it was recorded, by the service's clock; UTC.") readonly at: Nanos;
  @exactInt64('Position of its event in the log.') readonly position: bigint;
}

@ObjectType({ description: 'A statement that somebody has seen an incident and is handling it.' })
export class IncidentAcknowledgement extends NoteFields {}

@ObjectType({ description: 'A note that somebody wrote on an incident.' })
export class IncidentNote extends NoteFields {}
