import { Args, Context, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { argOrNull } from '../graphql/fields.js';
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
    description: 'The prices that a chain pays for its DA layer, by subject and time.',
  })
  @Costs(listOf(ASSUMED_PRICES))
  async getPriceBook(
    @Args('chain', { type: () => ID, description: 'Id of the chain.' }) chain: string,
    @Context() { loaders }: ApiContext,
    @argOrNull('knownAt', () => DateTime, 'The book as recorded at this time; the current book if left out.')
    knownAt: Nanos | null | undefined,
  ): Promise<Price[]> {
    return loaders.serveRows(await this.service.getPriceBook(chain, knownAt ?? null));
  }

  @Needs('write')
  @Mutation(() => [Price], {
    description:
      'Sets prices from a moment on, and returns the price book. Entries that the book already has are not recorded again.',
  })
  @Costs(listOf(ASSUMED_PRICES))
  setPrices(
    @Args('chain', { type: () => ID, description: 'Id of the chain.' }) chain: string,
    @Args('entries', { type: () => [PriceInput], description: 'The prices that shall apply, in any order.' })
    entries: PriceInput[],
    @Args('replace', {
      defaultValue: false,
      description:
        'Whether the entries may change what was already charged: before the newest entry, or in place of an existing entry.',
    })
    replace: boolean,
    @Args('confirm', {
      defaultValue: false,
      description:
        'Whether the entries may change what is already reported. Otherwise the change is refused, and the error says what would change.',
    })
    confirm: boolean,
    @Args('source', { defaultValue: 'set over GraphQL', description: 'Where the figures come from.' })
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
    @Args('csv', { description: 'A header line, then one fee per line; at most 90,000 bytes.' }) csv: string,
    @Args('source', { defaultValue: 'imported over GraphQL', description: 'Where the fees come from.' })
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
