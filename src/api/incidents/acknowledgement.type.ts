import { ObjectType } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { dateTime, exactInt64, id, text } from '../graphql/fields.js';

@ObjectType({ description: 'That somebody has seen an incident, and sees to it.' })
export class IncidentAcknowledgement {
  @id('`Incident.id`.') readonly incidentId: string;
  @text('Who: the name of the API key, or `loopback` without one.') readonly by: string;
  @text('What they said.') readonly note: string;
  @dateTime('When, by the clock of the service; UTC.') readonly at: Nanos;
  @exactInt64('The event of the log.') readonly position: bigint;
}
