import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { type CarriedBy, CarriedHeightsReader } from '../../projections/record/carried-heights.reader.js';
import { ApiError } from '../errors.js';
import { EventsQuery } from '../events/events.query.js';
import type { Claim } from '../claims/claim.type.js';
import { HistoryQuery, type Moment } from '../health/history.query.js';
import type { HealthInterval } from '../health/health.type.js';
import type { Node } from '../nodes/node.type.js';
import { NodesQuery } from '../nodes/nodes.query.js';
import {
  LARGEST_ANSWER,
  SentRowsQuery,
  tooLarge,
  type RowPlace,
  type SentRow,
} from '../submissions/sent-rows.query.js';
import type { RawJson } from './raw-json.js';
import { nameOfPast, PRESENT } from './time-travel.js';
import { type ListPlace, nameOf, type PastPlace } from '../submissions/submissions.query.js';
import { type Batch, SurroundingsQuery } from '../submissions/surroundings.query.js';
import type { Submission } from '../submissions/submission.type.js';

/** Rows of all lists of a request together: two of the largest reports, and something beside. */
const MOST_ROWS = 25_000;

/** Look-ups of one request: asked one by one, answered by one statement for all, and only where they are selected. */
export class RequestLoaders {
  /** Nodes by key. */
  readonly nodes: DataLoader<number, Node | undefined>;
  /** Present intervals of both components, by node id. */
  readonly daHealth: DataLoader<string, HealthInterval | undefined>;
  readonly nodeHealth: DataLoader<string, HealthInterval | undefined>;
  /** Statuses that nodes claim now, by node id. */
  readonly claims: DataLoader<string, string | undefined>;
  /** Rows of lists by their place. */
  readonly listRows: DataLoader<PastPlace, Submission | undefined, string>;
  /** The other attempts of a submission's batch. */
  readonly batches: DataLoader<Submission, Batch>;
  /** Health, and the node's claim of it, at a moment. */
  readonly healthThen: DataLoader<Moment, HealthInterval | undefined, string>;
  readonly claimsThen: DataLoader<Moment, Claim | undefined, string>;
  /** Heights that a submission carried. */
  private readonly carriedHeights: DataLoader<CarriedBy, bigint[]>;
  /** Bodies of events, as stored, by position. */
  readonly eventBodies: DataLoader<bigint, RawJson | undefined>;
  /** Characters of long texts that the answer has so far, and rows of lists. */
  private served = 0;
  private rows = 0;
  private readonly sentRows: DataLoader<RowPlace, SentRow | undefined, string>;

  constructor(sources: RequestLoadersFactory) {
    const { nodes, history } = sources;
    this.nodes = loaderOf((keys) => nodes.getNodesByKey(keys));
    this.claims = loaderOf((ids) => history.getPresentClaims(ids));
    this.daHealth = loaderOf((ids) => history.getPresentHealth(ids, 'DA'));
    this.nodeHealth = loaderOf((ids) => history.getPresentHealth(ids, 'NODE'));
    this.carriedHeights = new DataLoader((submissions) =>
      sources.carriedHeights.getCarriedHeights(submissions),
    );
    const { submissions, claims } = sources.surroundings;
    this.listRows = new DataLoader((places) => submissions.getRows(places), {
      cacheKeyFn: (place) => `${nameOf(place)} ${nameOfPast(place.past ?? PRESENT)}`,
    });
    this.batches = new DataLoader((attempts) => sources.surroundings.getBatches(attempts));
    const cacheKeyFn = ({ node, at }: Moment): string => `${node} ${at}`;
    this.healthThen = new DataLoader((moments) => history.getHealthAt(moments), { cacheKeyFn });
    this.claimsThen = new DataLoader((moments) => claims.getClaimsAt(moments), { cacheKeyFn });
    this.eventBodies = loaderOf((positions) => sources.events.getBodies(positions));
    this.sentRows = new DataLoader((places) => sources.sentRows.getSentRows(places), {
      cacheKeyFn: ({ fromPosition, sequence }) => `${fromPosition}/${sequence}`,
    });
  }

  /**
   * Counts a text that goes into the answer: under other names the same one can be asked for many times.
   * @returns the text
   * @throws ApiError TOO_EXPENSIVE when the answer becomes too large to be held
   */
  serveText(text: string | null | undefined): string | null {
    this.served += text?.length ?? 0;
    if (this.served > LARGEST_ANSWER) throw tooLarge();
    return text ?? null;
  }

  /**
   * Counts the rows of a list, of which more can have come than its arguments told.
   * @returns the rows
   * @throws ApiError TOO_EXPENSIVE when the answer becomes too large to be held
   */
  serveRows<Rows extends { readonly length: number }>(rows: Rows): Rows {
    this.rows += rows.length;
    if (this.rows > MOST_ROWS) {
      throw new ApiError(
        'TOO_EXPENSIVE',
        `These are more than ${MOST_ROWS} rows, which is the most in one request; ask for fewer of them at once.`,
      );
    }
    return rows;
  }

  /** The rows at these places of lists, in their order; in a past without those that were not there. */
  async getListRows(places: readonly ListPlace[], past = PRESENT): Promise<Submission[]> {
    const rows = await Promise.all(places.map((place) => this.listRows.load({ ...place, past })));
    return this.serveRows(rows.filter((row) => row !== undefined));
  }

  /** Heights that a submission carried; none of one as it was known, for blocks of today would show it. */
  async getCarriedHeights(submission: Submission): Promise<bigint[]> {
    return submission.past.knownAt === undefined ? this.carriedHeights.load(submission) : [];
  }

  /** The nodes of these keys, in their order. */
  async getNodes(keys: readonly number[]): Promise<Node[]> {
    const nodes = await Promise.all(keys.map((key) => this.nodes.load(key)));
    return this.serveRows(nodes.filter((node) => node !== undefined));
  }

  /** The row as its node sent it; undefined for a submission that no list showed. */
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

/** Makes the loaders of a request. */
@Injectable()
export class RequestLoadersFactory {
  constructor(
    readonly nodes: NodesQuery,
    readonly history: HistoryQuery,
    readonly sentRows: SentRowsQuery,
    readonly carriedHeights: CarriedHeightsReader,
    readonly events: EventsQuery,
    readonly surroundings: SurroundingsQuery,
  ) {}

  create(): RequestLoaders {
    return new RequestLoaders(this);
  }
}
