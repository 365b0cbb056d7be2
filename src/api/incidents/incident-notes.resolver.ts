import { Args, Context, ID, Int, Mutation, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { argOrNull } from '../graphql/fields.js';
import type { ApiContext } from '../graphql/api-context.js';
import { TYPED_AUTHOR, typedAuthorOf } from '../keys/caller.js';
import { Needs } from '../keys/api-keys.js';
import { IncidentAcknowledgement, IncidentNote } from './incident-note.type.js';
import { IncidentNotesService } from './incident-notes.service.js';
import { Incident } from './incident.type.js';

const COST_OF_NOTES = 1_000;

@Resolver(() => Incident)
export class IncidentNotesResolver {
  constructor(private readonly notes: IncidentNotesService) {}

  @Needs('write')
  @Mutation(() => IncidentAcknowledgement, {
    description:
      'Records that somebody has seen an incident and is handling it, as an event of the log with their name.',
  })
  acknowledgeIncident(
    @Args('id', { type: () => ID, description: '`Incident.id`.' }) id: string,
    @Args('note', { defaultValue: '', description: 'An additional note; at most 1,000 characters.' })
    note: string,
    @argOrNull('by', () => String, TYPED_AUTHOR)
    by: string | null | undefined,
    @Context() { caller }: ApiContext,
  ): Promise<IncidentAcknowledgement> {
    return this.notes.record('IncidentAcknowledged', id, note, typedAuthorOf(caller, by));
  }

  @Needs('write')
  @Mutation(() => IncidentNote, {
    description:
      'Records a note on an incident, open or over, as an event of the log with the name of its author.',
  })
  addIncidentNote(
    @Args('id', { type: () => ID, description: '`Incident.id`.' }) id: string,
    @Args('note', { description: '1 to 1,000 printable characters in one line.' }) note: string,
    @argOrNull('by', () => String, TYPED_AUTHOR)
    by: string | null | undefined,
    @Context() { caller }: ApiContext,
  ): Promise<IncidentNote> {
    return this.notes.record('IncidentNoted', id, note, typedAuthorOf(caller, by));
  }

  @ResolveField('acknowledgements', () => [IncidentAcknowledgement], {
    description:
      'Its acknowledgements, oldest first; at most 100. `acknowledgementCount` counts all of them.',
    complexity: COST_OF_NOTES,
  })
  getAcknowledgements(@Parent() incident: Incident): Promise<IncidentAcknowledgement[]> {
    return this.notes.getOf('IncidentAcknowledged', incident);
  }

  @ResolveField('acknowledgementCount', () => Int, {
    description: 'How often it was acknowledged.',
    complexity: COST_OF_NOTES,
  })
  countAcknowledgements(@Parent() incident: Incident): Promise<number> {
    return this.notes.countOf('IncidentAcknowledged', incident);
  }

  @ResolveField('notes', () => [IncidentNote], {
    description: 'The notes on it, oldest first; at most 100. `noteCount` counts all of them.',
    complexity: COST_OF_NOTES,
  })
  getNotes(@Parent() incident: Incident): Promise<IncidentNote[]> {
    return this.notes.getOf('IncidentNoted', incident);
  }

  @ResolveField('noteCount', () => Int, {
    description: 'How many notes it has.',
    complexity: COST_OF_NOTES,
  })
  countNotes(@Parent() incident: Incident): Promise<number> {
    return this.notes.countOf('IncidentNoted', incident);
  }
}
