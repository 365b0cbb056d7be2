import { Args, Context, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs, listOf } from '../graphql/field-cost.js';
import { DateTime } from '../graphql/scalars.js';
import { authorOf } from '../keys/caller.js';
import { Needs } from '../keys/api-keys.js';
import { FeeImport, Price, PriceInput } from './price.type.js';
import { PricesService } from './prices.service.js';

/** Assumed entries of a price book: three subjects, changed once a day for a year. */
const ASSUMED_PRICES = 1_000;

@Resolver(() => Price)
export class PriceResolver {
  constructor(private readonly service: PricesService) {}

  @Query(() => [Price], {
    name: 'priceBook',
    description: 'What a chain pays for its DA layer, by subject and moment.',
  })
  @Costs(listOf(ASSUMED_PRICES))
  async getPriceBook(
    @Args('chain', { type: () => ID, description: 'Id of the chain.' }) chain: string,
    @Context() { loaders }: ApiContext,
    @Args('knownAt', {
      type: () => DateTime,
      nullable: true,
      description: 'The book as it was recorded at this time; as it is now when left out.',
    })
    knownAt: Nanos | null | undefined,
  ): Promise<Price[]> {
    return loaders.serveRows(await this.service.getPriceBook(chain, knownAt ?? null));
  }

  @Needs('write')
  @Mutation(() => [Price], {
    description:
      'Sets prices from a moment on, and answers with the book. What it has already is not recorded twice.',
  })
  @Costs(listOf(ASSUMED_PRICES))
  setPrices(
    @Args('chain', { type: () => ID, description: 'Id of the chain.' }) chain: string,
    @Args('entries', { type: () => [PriceInput], description: 'What shall hold, in any order.' })
    entries: PriceInput[],
    @Args('replace', {
      defaultValue: false,
      description:
        'Whether they may change what was charged already: before the newest entry, or in the place of one.',
    })
    replace: boolean,
    @Args('confirm', {
      defaultValue: false,
      description:
        'Whether they may change what is reported already. Without it such a change is refused, and the error says what would change.',
    })
    confirm: boolean,
    @Args('source', { defaultValue: 'set over GraphQL', description: 'Where the figures are from.' })
    source: string,
    @Context() { caller }: ApiContext,
  ): Promise<Price[]> {
    return this.service.setPrices({ chain, entries, replace, confirm, source, by: authorOf(caller) });
  }

  @Needs('write')
  @Mutation(() => FeeImport, {
    description:
      'Imports fees that were read from the DA layer, as `hindsight import fees` does. Importing them again changes nothing.',
  })
  importFees(
    @Args('chain', { type: () => ID, description: 'Id of the chain.' }) chain: string,
    @Args('csv', { description: 'A header and a fee a line; at most 90,000 bytes.' }) csv: string,
    @Args('source', { defaultValue: 'imported over GraphQL', description: 'Where the fees are from.' })
    source: string,
    @Args('skipBad', {
      defaultValue: false,
      description: 'Whether to import the good lines of a file that has bad ones.',
    })
    skipBad: boolean,
    @Context() { caller }: ApiContext,
  ): Promise<FeeImport> {
    return this.service.importFees({ chain, csv, source, skipBad, by: authorOf(caller) });
  }
}
