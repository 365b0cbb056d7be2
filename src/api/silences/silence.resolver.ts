import { Args, Context, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs, listOf } from '../graphql/field-cost.js';
import { DateTime } from '../graphql/scalars.js';
import { authorOf } from '../keys/caller.js';
import { Needs } from '../keys/api-keys.js';
import { Silence, SilenceMatcher } from './silence.type.js';
import { SilencesService } from './silences.service.js';

/** Assumed number of active silences. */
const ASSUMED_SILENCES = 100;

@Resolver(() => Silence)
export class SilenceResolver {
  constructor(private readonly service: SilencesService) {}

  @Query(() => [Silence], { name: 'silences', description: 'Silences of alerts that hold now.' })
  @Costs(listOf(ASSUMED_SILENCES))
  getSilences(): Promise<Silence[]> {
    return this.service.getSilences();
  }

  @Needs('write')
  @Mutation(() => Silence, {
    description:
      'Tells nobody of alerts that begin and match, up to a time. What still lasts then is told then.',
  })
  silence(
    @Args('matcher', { type: () => SilenceMatcher, description: 'What it is about; {} is everything.' })
    matcher: SilenceMatcher,
    @Args('until', { type: () => DateTime, description: 'When it ends; in the future.' }) until: Nanos,
    @Args('note', { defaultValue: '', description: 'Why; at most 500 characters.' }) note: string,
    @Context() { caller }: ApiContext,
  ): Promise<Silence> {
    return this.service.add(matcher, until, note, authorOf(caller));
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
