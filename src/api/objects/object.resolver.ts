import { Args, Context, ID, Info, Query, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { argOrNull } from '../graphql/fields.js';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs } from '../graphql/field-cost.js';
import { TravelArgs } from '../graphql/time-travel.js';
import { HasId, type Typed } from './has-id.type.js';
import { costOfObject, ObjectFinders } from './object-finders.js';

@Resolver()
export class ObjectResolver {
  constructor(private readonly finders: ObjectFinders) {}

  @Query(() => HasId, {
    name: 'object',
    nullable: true,
    description:
      'The row with this id; null if there is none. Figures are computed again, at the cost of their query.',
  })
  @Costs(costOfObject)
  findObject(
    @Args('id', { type: () => ID, description: 'As in the field `id`.' }) id: string,
    @argOrNull(
      'type',
      () => String,
      'Its `__typename`. Needed if a node, a chain, a loss and a job have the same id; without it they are searched in this order.',
    )
    type: string | null | undefined,
    // Nest passes all arguments of the field here, not only these two.
    @Args() { asOf, knownAt }: TravelArgs,
    @Context() context: ApiContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Typed | null> {
    return this.finders.findObject({ id, type: type ?? undefined, travel: { asOf, knownAt }, context, info });
  }
}
