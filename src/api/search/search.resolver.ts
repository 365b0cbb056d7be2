import { Args, Context, Int, Query, Resolver } from '@nestjs/graphql';
import { badUserInput } from '../errors.js';
import { argOrNull } from '../graphql/fields.js';
import type { ApiContext } from '../graphql/api-context.js';
import { DEFAULT_PAGE, LARGEST_PAGE } from '../graphql/connection.js';
import { Costs, inPast, type FieldCost, pageCost } from '../graphql/field-cost.js';
import { TravelArgs } from '../graphql/time-travel.js';
import { SearchHit } from './search.type.js';
import { SearchQuery } from './search.query.js';

/** Runs several searches, one of which may take a second. */
const COST_OF_SEARCH = 150_000;
const LONGEST_TEXT = 1_000;

@Resolver()
export class SearchResolver {
  constructor(private readonly query: SearchQuery) {}

  @Query(() => [SearchHit], {
    name: 'search',
    description:
      "Finds nodes and chains by a part of their id. Finds submissions by their id, the id of a blob (hex or base64) or a DA height. Finds failed submissions by a part of their message (at least three characters). Finds blocks by header hash (hex or base64), height or DA height. Finds incidents by their id, and the newest incidents by a part of their reason or of their node's id. Without the server's extension `pg_trgm`, only the messages of the newest 200,000 submissions are searched. A commitment without its DA height is searched in the newest events, for one second. Transactions are not kept, so a transaction hash finds nothing.",
  })
  @Costs(inPast(searchCost))
  async search(
    @Args('text', { type: () => String, description: 'Text to search for: at most 1,000 characters.' })
    text: string,
    @argOrNull('first', () => Int, 'Largest number of results: 50 if left out, at most 1,000.')
    first: number | null | undefined,
    @Args() travel: TravelArgs,
    @Context() { loaders }: ApiContext,
  ): Promise<SearchHit[]> {
    const most = first ?? DEFAULT_PAGE;
    if (most < 1 || most > LARGEST_PAGE)
      throw badUserInput(`\`first\` must be from 1 to ${LARGEST_PAGE}, and is ${most}.`);
    if (text.length > LONGEST_TEXT)
      throw badUserInput(`\`text\` can have at most ${LONGEST_TEXT} characters.`);
    return loaders.serveRows(await this.query.search(text, most, travel));
  }
}

function searchCost(args: { first?: number | null }): FieldCost {
  return { fixed: COST_OF_SEARCH, rows: pageCost(args).rows };
}
