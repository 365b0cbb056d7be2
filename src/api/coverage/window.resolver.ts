import { Inject } from '@nestjs/common';
import { Args, Context, ID, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { type Nanos, nanosToMicros } from '../../domain/time.js';
import { readPlacesAt } from '../../event-log/window-at.reader.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs } from '../graphql/field-cost.js';
import { DateTime, toNanos } from '../graphql/scalars.js';
import { NodesQuery } from '../nodes/nodes.query.js';
import { Submission } from '../submissions/submission.type.js';
import { Window } from './coverage.type.js';

/** A list is assembled from some dozens of events of the log, with their bodies. */
const COST_OF_WINDOW = 50_000;

@Resolver(() => Window)
export class WindowResolver {
  constructor(
    private readonly nodes: NodesQuery,
    @Inject(ReadDatabase) private readonly reads: Database,
  ) {}

  @Query(() => Window, {
    name: 'windowAt',
    nullable: true,
    description:
      'The list of submissions that the node showed at a moment, as far as it is proven, and whether it is proven.',
  })
  @Costs(() => ({ fixed: COST_OF_WINDOW, rows: 1 }))
  async getWindow(
    @Args('node', { type: () => ID, description: 'Id of the node.' }) node: string,
    @Args('at', { type: () => DateTime, description: "The moment, by the observer's clock." })
    at: Nanos,
  ): Promise<Window | null> {
    const nodeKey = (await this.nodes.findNode(node))?.nodeKey;
    // The node was configured just now.
    if (nodeKey === undefined) return null;
    const { rows, doubt, lookedAt, newestFirst } = await readPlacesAt(this.reads, node, nanosToMicros(at));
    const places = rows.map(({ sequence }) => ({ nodeKey, sequence: BigInt(sequence) }));
    return { at, doubt, newestFirst, places, proven: doubt === null, lookedAt: toNanos(lookedAt) };
  }

  @ResolveField('submissions', () => [Submission])
  getSubmissions(@Parent() { places }: Window, @Context() { loaders }: ApiContext): Promise<Submission[]> {
    return loaders.getListRows(places);
  }
}
