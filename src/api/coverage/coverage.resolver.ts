import { Args, Context, Query, Resolver } from '@nestjs/graphql';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs, inPast } from '../graphql/field-cost.js';
import { historyCost } from '../health/intervals.js';
import { CoverageQuery } from './coverage.query.js';
import { CoverageArgs, CoverageGap, CoverageInterval } from './coverage.type.js';

@Resolver()
export class CoverageResolver {
  constructor(private readonly coverage: CoverageQuery) {}

  @Query(() => [CoverageInterval], {
    name: 'coverage',
    description:
      'Periods in which no submission of a node, or of a chain, can have been missed, oldest first; at most 10,000. Adjacent periods are joined.',
  })
  @Costs(inPast(historyCost))
  async getCoverage(
    @Args() args: CoverageArgs,
    @Context() { loaders }: ApiContext,
  ): Promise<CoverageInterval[]> {
    return loaders.serveRows(await this.coverage.getCoverage(args));
  }

  @Query(() => [CoverageGap], {
    name: 'coverageGaps',
    description:
      'Periods that are not covered, each with its node and reason, oldest first; at most 10,000. Together with `coverage` they make up the whole requested range, up to the present. The range begins with the first contact if `from` is left out.',
  })
  @Costs(inPast(historyCost))
  async getGaps(@Args() args: CoverageArgs, @Context() { loaders }: ApiContext): Promise<CoverageGap[]> {
    return loaders.serveRows(await this.coverage.getGaps(args));
  }
}
