import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { Micros } from '../../domain/time.js';
import { tooLarge } from '../../platform/reads/text-budget.js';
import { CarriedBlocksReader } from '../../projections/record/readers/carried-blocks.reader.js';
import type { Block } from '../blocks/block.type.js';
import { CostLinesReader } from '../../statistics/read/cost/cost-lines.reader.js';
import type { CostLine } from '../../statistics/roll-up/cost-lines.js';
import { ApiError } from '../errors.js';
import { EventsQuery } from '../events/events.query.js';
import type { Claim } from '../claims/claim.type.js';
import { HistoryQuery, type NodeMoment } from '../health/history.query.js';
import type { HealthInterval } from '../health/health.type.js';
import type { Node } from '../nodes/node.type.js';
import { countsBlocks, NodesQuery } from '../nodes/nodes.query.js';
import {
  LARGEST_ANSWER,
  SentRowsQuery,
  type LoggedRowKey,
  type SentRow,
} from '../submissions/sent-rows.query.js';
import type { RawJson } from './raw-json.js';
import { nameOfPast, PRESENT, type Past } from './time-travel.js';
import { type SubmissionListKey, nameOf } from '../submissions/submissions.query.js';
import { type BatchNeighbours, SurroundingsQuery } from '../submissions/surroundings.query.js';
import type { Submission } from '../submissions/submission.type.js';

/** The most rows of all lists of a request together: two of the largest reports, and some more. */
const MOST_ROWS = 25_000;

interface InPast {
  readonly past: Past;
}
type PastSubmissionKey = SubmissionListKey & InPast;
type PastNode = Pick<Node, 'id'> & InPast;
type PastMoment = NodeMoment & InPast;
/** A node in a past, and whether its blocks are counted. */
type PastNodeKey = Pick<Node, 'nodeKey'> & InPast & { readonly countsBlocks: boolean };

/** The look-ups of one request: batched into one statement each, and run only where the fields are selected. */
export class RequestLoaders {
  readonly nodes: DataLoader<number, Node | undefined>;
  /** The interval of each component of a node that is current, now or in the given past. */
  readonly daHealth: DataLoader<PastNode, HealthInterval | undefined, string>;
  readonly nodeHealth: DataLoader<PastNode, HealthInterval | undefined, string>;
  /** Statuses that nodes claim, now or in the given past. */
  readonly claims: DataLoader<PastNode, string | undefined, string>;
  readonly listRows: DataLoader<PastSubmissionKey, Submission | undefined, string>;
  /** The other attempts of a submission's batch. */
  readonly batches: DataLoader<Submission, BatchNeighbours>;
  /** Health at a moment, and the health that the node claimed then. */
  readonly healthThen: DataLoader<PastMoment, HealthInterval | undefined, string>;
  readonly claimsThen: DataLoader<PastMoment, Claim | undefined, string>;
  readonly includedTimes: DataLoader<Block, Micros | undefined, string>;
  private readonly nodesInPast: DataLoader<PastNodeKey, Node | undefined, string>;
  readonly costLines: DataLoader<Submission, CostLine | undefined, string>;
  private readonly carriedHeights: DataLoader<Submission, bigint[] | undefined, string>;
  /** Bodies of events as stored, by position in the log. */
  readonly eventBodies: DataLoader<bigint, RawJson | undefined>;
  /** Characters of long texts in the response so far, and rows of lists. */
  private served = 0;
  private rows = 0;
  private readonly sentRows: DataLoader<LoggedRowKey, SentRow | undefined, string>;

  constructor(sources: RequestLoadersFactory) {
    const { nodes, history } = sources;
    this.nodes = loaderOf((keys) => nodes.getNodesByKey(keys));
    this.claims = nodeLoaderOf((ids, past) => history.getPresentClaims(ids, past));
    this.daHealth = nodeLoaderOf((ids, past) => history.getPresentHealth(ids, 'DA', past));
    this.nodeHealth = nodeLoaderOf((ids, past) => history.getPresentHealth(ids, 'NODE', past));
    this.nodesInPast = pastLoaderOf<PastNodeKey, Node>(
      async (keys, past) => {
        const nodeKeys = [...new Set(keys.map(({ nodeKey }) => nodeKey))];
        const countsBlocks = keys.some((key) => key.countsBlocks);
        const found = await nodes.getNodesByKey(nodeKeys, past, countsBlocks);
        return keys.map(({ nodeKey }) => found.get(nodeKey));
      },
      ({ nodeKey, countsBlocks }) => `${nodeKey} ${countsBlocks}`,
    );
    this.carriedHeights = pastLoaderOf<Submission, bigint[]>(
      (submissions, { knownAt }) => sources.carriedBlocks.getCarriedHeights(submissions, knownAt),
      ({ id }) => id,
    );
    this.includedTimes = pastLoaderOf<Block, Micros>(
      (blocks, { knownAt }) => sources.carriedBlocks.getIncludedTimes(blocks, knownAt),
      ({ nodeKey, lineageKey, height }) => `${nodeKey} ${lineageKey} ${height}`,
    );
    this.costLines = pastLoaderOf<Submission, CostLine>(
      (submissions, { knownAt }) => sources.costLines.getCosts(submissions, knownAt),
      ({ id }) => id,
    );
    const { submissions, claims } = sources.surroundings;
    this.listRows = pastLoaderOf<PastSubmissionKey, Submission>(
      (places, past) => submissions.getRows(places, past),
      nameOf,
    );
    this.batches = new DataLoader((attempts) => sources.surroundings.getBatches(attempts));
    const nameOfMoment = ({ node, at }: NodeMoment): string => `${node} ${at}`;
    this.healthThen = pastLoaderOf<PastMoment, HealthInterval>(
      (moments, past) => history.getHealthAt(moments, 'DA', past),
      nameOfMoment,
    );
    this.claimsThen = pastLoaderOf<PastMoment, Claim>(
      (moments, past) => claims.getClaimsAt(moments, past),
      nameOfMoment,
    );
    this.eventBodies = loaderOf((positions) => sources.events.getBodies(positions));
    this.sentRows = new DataLoader((places) => sources.sentRows.getSentRows(places), {
      cacheKeyFn: ({ fromPosition, sequence }) => `${fromPosition}/${sequence}`,
    });
  }

  /**
   * Counts a text of the response: with aliases, a query can request the same text many times.
   * @returns the text
   * @throws ReadRefused LARGE when the response becomes too large for memory
   */
  serveText(text: string | null | undefined): string | null {
    this.served += text?.length ?? 0;
    if (this.served > LARGEST_ANSWER) throw tooLarge();
    return text ?? null;
  }

  /**
   * Counts the rows of a list, which can be more than its arguments implied.
   * @returns the rows
   * @throws ApiError TOO_EXPENSIVE when the response becomes too large for memory
   */
  serveRows<Rows extends { readonly length: number }>(rows: Rows): Rows {
    this.rows += rows.length;
    if (this.rows > MOST_ROWS) {
      throw new ApiError(
        'TOO_EXPENSIVE',
        `These are more than ${MOST_ROWS} rows, the limit of one request; request fewer of them at once.`,
      );
    }
    return rows;
  }

  /** The submissions at these places of lists, in the same order; in a past, without rows that did not exist then. */
  async getListRows(places: readonly SubmissionListKey[], past = PRESENT): Promise<Submission[]> {
    const rows = await Promise.all(places.map((place) => this.listRows.load({ ...place, past })));
    return this.serveRows(rows.filter((row) => row !== undefined));
  }

  /** The block heights that a submission carried, in the submission's own past. */
  async getCarriedHeights(submission: Submission): Promise<bigint[]> {
    return (await this.carriedHeights.load(submission)) ?? [];
  }

  /** The node of a row, in the row's own past. @param info the selection: blocks are counted only where requested */
  async findNodeOf(
    { nodeKey, past }: Pick<Node, 'nodeKey' | 'past'>,
    info: GraphQLResolveInfo,
  ): Promise<Node | undefined> {
    if (past.end === undefined) return this.nodes.load(nodeKey);
    return this.nodesInPast.load({ nodeKey, past, countsBlocks: countsBlocks(info) });
  }

  /** The nodes with these keys, in the same order, without unknown keys. */
  async getNodes(keys: readonly number[]): Promise<Node[]> {
    const nodes = await Promise.all(keys.map((key) => this.nodes.load(key)));
    return this.serveRows(nodes.filter((node) => node !== undefined));
  }

  /** The row as the node sent it; undefined for a submission that no list showed. */
  async findSentRow({ fromPosition, sequence }: Submission): Promise<SentRow | undefined> {
    return sequence === null ? undefined : this.sentRows.load({ fromPosition, sequence });
  }
}

function loaderOf<Key, Value>(
  find: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
): DataLoader<Key, Value | undefined> {
  return new DataLoader(async (keys) => {
    const found = await find(keys);
    return keys.map((key) => found.get(key));
  });
}

/** Like {@link loaderOf}, for queries about the past. Each past is queried separately; a request has few. */
function pastLoaderOf<Key extends InPast, Value>(
  find: (keys: readonly Key[], past: Past) => Promise<readonly (Value | undefined)[]>,
  nameOfKey: (key: Key) => string,
): DataLoader<Key, Value | undefined, string> {
  const load = async (keys: readonly Key[]): Promise<(Value | undefined)[]> => {
    const found = new Map<Key, Value | undefined>();
    for (const [name, past] of new Map(keys.map((key) => [nameOfPast(key.past), key.past]))) {
      const alike = keys.filter((key) => nameOfPast(key.past) === name);
      const values = await find(alike, past);
      for (const [index, key] of alike.entries()) found.set(key, values[index]);
    }
    return keys.map((key) => found.get(key));
  };
  return new DataLoader(load, { cacheKeyFn: (key) => `${nameOfKey(key)} ${nameOfPast(key.past)}` });
}

function nodeLoaderOf<Value>(
  find: (ids: readonly string[], past: Past) => Promise<ReadonlyMap<string, Value>>,
): DataLoader<PastNode, Value | undefined, string> {
  return pastLoaderOf(
    async (nodes, past) => {
      const ids = nodes.map(({ id }) => id);
      const found = await find(ids, past);
      return ids.map((id) => found.get(id));
    },
    ({ id }) => id,
  );
}

@Injectable()
export class RequestLoadersFactory {
  constructor(
    readonly nodes: NodesQuery,
    readonly history: HistoryQuery,
    readonly sentRows: SentRowsQuery,
    readonly carriedBlocks: CarriedBlocksReader,
    readonly costLines: CostLinesReader,
    readonly events: EventsQuery,
    readonly surroundings: SurroundingsQuery,
  ) {}

  create(): RequestLoaders {
    return new RequestLoaders(this);
  }
}
