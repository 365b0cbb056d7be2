import { Args, Context, Float, ID, Info, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { findCause } from '../../domain/submissions/failure-cause.js';
import { Claim } from '../claims/claim.type.js';
import { HealthInterval } from '../health/health.type.js';
import { FailureCause } from './failure-cause.type.js';
import { argOrNull } from '../graphql/fields.js';
import type { ApiContext } from '../graphql/api-context.js';
import { PagingArgs, type Page } from '../graphql/connection.js';
import { Costs, inPast, pageCost, rowCost, type FieldCost } from '../graphql/field-cost.js';
import { RawJson } from '../graphql/raw-json.js';
import { selectedOfRows } from '../graphql/selected-fields.js';
import { TravelArgs } from '../graphql/time-travel.js';
import { Int64, Json } from '../graphql/scalars.js';
import { Node } from '../nodes/node.type.js';
import { SubmissionFilter, SubmissionOrder } from './submission-filter.js';
import { SubmissionCost, toSubmissionCost } from './submission-cost.type.js';
import { parseSubmissionId } from './submission-id.js';
import { Submission, SubmissionConnection } from './submission.type.js';
import { SubmissionsQuery } from './submissions.query.js';

@Resolver(() => Submission)
export class SubmissionResolver {
  constructor(private readonly submissions: SubmissionsQuery) {}

  @Query(() => SubmissionConnection, {
    name: 'submissions',
    description:
      'Attempts to post batches to the DA layer. Several nodes of a chain may show the same attempt.',
  })
  @Costs(inPast(submissionsCost))
  getSubmissions(
    @argOrNull('filter', () => SubmissionFilter, 'Filter for attempts; all attempts if left out.')
    filter: SubmissionFilter | null | undefined,
    @argOrNull('order', () => SubmissionOrder, 'Order of the rows.', SubmissionOrder.OBSERVED_DESC)
    order: SubmissionOrder | null,
    @Args() args: PagingArgs,
    @Args() travel: TravelArgs,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Page<Submission>> {
    const { OBSERVED_DESC } = SubmissionOrder;
    const selected = selectedOfRows(info);
    return this.submissions.getSubmissions(filter ?? {}, order ?? OBSERVED_DESC, args, travel, selected);
  }

  @Query(() => Submission, {
    name: 'submission',
    nullable: true,
    description: 'One attempt by its id; null if there is none.',
  })
  @Costs(inPast(rowCost))
  async findSubmission(
    @Args('id', { type: () => ID, description: 'As in `Submission.id`.' }) id: string,
    @Args() travel: TravelArgs,
  ): Promise<Submission | undefined> {
    const key = parseSubmissionId(id);
    return key && this.submissions.findSubmission(key, travel);
  }

  @ResolveField('node', () => Node, { nullable: true })
  async findNode(
    @Parent() { nodeKey, past }: Submission,
    @Context() { loaders }: ApiContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Node | undefined> {
    return nodeKey === null ? undefined : loaders.findNodeOf({ nodeKey, past }, info);
  }

  @ResolveField('statusText', () => String, { nullable: true })
  async findStatusText(
    @Parent() submission: Submission,
    @Context() { loaders }: ApiContext,
  ): Promise<string | null> {
    return loaders.serveText((await loaders.findSentRow(submission))?.row.statusText);
  }

  @ResolveField('occurredAtText', () => String, { nullable: true })
  async findTimeText(
    @Parent() submission: Submission,
    @Context() { loaders }: ApiContext,
  ): Promise<string | null> {
    return loaders.serveText((await loaders.findSentRow(submission))?.row.occurredAtText);
  }

  @ResolveField('blobIds', () => [String])
  async getBlobIds(
    @Parent() submission: Submission,
    @Context() { loaders }: ApiContext,
  ): Promise<readonly string[]> {
    const ids = (await loaders.findSentRow(submission))?.row.blobIds ?? [];
    for (const id of ids) loaders.serveText(id);
    return ids;
  }

  @ResolveField('raw', () => Json, { nullable: true })
  async findRaw(@Parent() submission: Submission, @Context() context: ApiContext): Promise<unknown> {
    const text = await this.findRawText(submission, context);
    return text === null ? null : toJson(text);
  }

  @ResolveField('rawText', () => String, { nullable: true })
  async findRawText(
    @Parent() submission: Submission,
    @Context() { loaders }: ApiContext,
  ): Promise<string | null> {
    return loaders.serveText((await loaders.findSentRow(submission))?.text);
  }

  @ResolveField('blocks', () => [Int64])
  getBlocks(
    @Parent() submission: Submission,
    @Context() { loaders }: ApiContext,
  ): Promise<readonly bigint[]> {
    return loaders.getCarriedHeights(submission);
  }

  @ResolveField('blocksFloat', () => [Float])
  async getBlocksFloat(
    @Parent() submission: Submission,
    @Context() { loaders }: ApiContext,
  ): Promise<readonly number[]> {
    return (await loaders.getCarriedHeights(submission)).map(Number);
  }

  @ResolveField('cost', () => SubmissionCost, { nullable: true })
  async findCost(
    @Parent() submission: Submission,
    @Context() { loaders }: ApiContext,
  ): Promise<SubmissionCost | undefined> {
    const line = await loaders.costLines.load(submission);
    return line && toSubmissionCost(line);
  }

  @ResolveField('cause', () => FailureCause, { nullable: true })
  findCause(@Parent() { status, message }: Submission): FailureCause | null {
    return findCause(status, message);
  }

  @ResolveField('attemptsBefore', () => [Submission])
  async getAttemptsBefore(
    @Parent() submission: Submission,
    @Context() { loaders }: ApiContext,
  ): Promise<readonly Submission[]> {
    return loaders.getListRows((await loaders.batches.load(submission)).before, submission.past);
  }

  @ResolveField('attemptsAfter', () => [Submission])
  async getAttemptsAfter(
    @Parent() submission: Submission,
    @Context() { loaders }: ApiContext,
  ): Promise<readonly Submission[]> {
    return loaders.getListRows((await loaders.batches.load(submission)).after, submission.past);
  }

  @ResolveField('previous', () => Submission, { nullable: true })
  findPrevious(
    @Parent() submission: Submission,
    @Context() { loaders }: ApiContext,
  ): Promise<Submission | undefined> | undefined {
    return findNeighbour(submission, -1n, loaders);
  }

  @ResolveField('next', () => Submission, { nullable: true })
  findNext(
    @Parent() submission: Submission,
    @Context() { loaders }: ApiContext,
  ): Promise<Submission | undefined> | undefined {
    return findNeighbour(submission, 1n, loaders);
  }

  @ResolveField('healthThen', () => HealthInterval, { nullable: true })
  findHealthThen(
    @Parent() { nodeId, timeAt, past }: Submission,
    @Context() { loaders }: ApiContext,
  ): Promise<HealthInterval | undefined> | undefined {
    return nodeId === null ? undefined : loaders.healthThen.load({ node: nodeId, at: timeAt, past });
  }

  @ResolveField('claimThen', () => Claim, { nullable: true })
  findClaimThen(
    @Parent() { nodeId, timeAt, past }: Submission,
    @Context() { loaders }: ApiContext,
  ): Promise<Claim | undefined> | undefined {
    return nodeId === null ? undefined : loaders.claimsThen.load({ node: nodeId, at: timeAt, past });
  }
}

function findNeighbour(
  { nodeKey, sequence, past }: Submission,
  distance: bigint,
  loaders: ApiContext['loaders'],
): Promise<Submission | undefined> | undefined {
  return sequence === null
    ? undefined
    : loaders.listRows.load({ nodeKey, sequence: sequence + distance, past });
}

/** Cost of a text search: without an index that fits, it may read every row. */
const COST_OF_SEARCH = 15_000;

function submissionsCost(args: PagingArgs & { filter?: SubmissionFilter | null }): FieldCost {
  const { fixed, rows } = pageCost(args);
  return { fixed: fixed + (args.filter?.message ? COST_OF_SEARCH : 0), rows };
}

/** A row that is not valid JSON is returned as a string. */
function toJson(text: string): unknown {
  try {
    JSON.parse(text);
    return new RawJson(text);
  } catch {
    return text;
  }
}
