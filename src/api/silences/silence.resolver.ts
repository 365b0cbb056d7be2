import { Args, Context, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { argOrNull } from '../graphql/fields.js';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs, listOf } from '../graphql/field-cost.js';
import { DateTime } from '../graphql/scalars.js';
import { authorOf, TYPED_AUTHOR, typedAuthorOf } from '../keys/caller.js';
import { Needs } from '../keys/api-keys.js';
import { Silence, SilenceMatcher } from './silence.type.js';
import { SilencesService } from './silences.service.js';

const ASSUMED_SILENCES = 100;

@Resolver(() => Silence)
export class SilenceResolver {
  constructor(private readonly service: SilencesService) {}

  @Query(() => [Silence], { name: 'silences', description: 'Silences of alerts that are in effect now.' })
  @Costs(listOf(ASSUMED_SILENCES))
  getSilences(): Promise<Silence[]> {
    return this.service.getSilences();
  }

  @Needs('write')
  @Mutation(() => Silence, {
    description:
      'Suppresses matching alerts that begin before a given time. Alerts that still last at that time are sent then.',
  })
  async silence(
    @Args('matcher', {
      type: () => SilenceMatcher,
      description: 'The alerts to silence; {} matches everything.',
    })
    matcher: SilenceMatcher,
    @Args('until', { type: () => DateTime, description: 'When it ends; must be in the future.' })
    until: Nanos,
    @Args('note', { defaultValue: '', description: 'The reason; at most 500 characters.' }) note: string,
    @argOrNull('by', () => String, TYPED_AUTHOR)
    by: string | null | undefined,
    @Context() { caller }: ApiContext,
  ): Promise<Silence> {
    return this.service.add(matcher, until, note, typedAuthorOf(caller, by));
  }

  @Needs('write')
  @Mutation(() => Silence, { description: 'Ends a silence before its time.' })
  liftSilence(
    @Args('id', { type: () => ID, description: 'As in `Silence.id`.' }) id: string,
    @Context() { caller }: ApiContext,
  ): Promise<Silence> {
    return this.service.lift(id, authorOf(caller));
  }
}
