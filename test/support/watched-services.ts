import type { DataSource } from 'typeorm';
import type { Devnode } from '../../src/devnode/devnode.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { NodeApi } from '../../src/node-api/node-api.js';
import { BlocksObserver } from '../../src/observe/blocks/blocks.observer.js';
import { ClaimsObserver } from '../../src/observe/claims/claims.observer.js';
import { ListObservations } from '../../src/observe/submissions/list-observations.js';
import { PollBook } from '../../src/observe/poll-book.js';
import { NodeDescriptionObserver } from '../../src/observe/node/node-description.observer.js';
import { NodeBudget } from '../../src/observe/subject-recorder.js';
import type { ObservedNode, SubjectObserver } from '../../src/observe/subject-observer.js';
import type { Clock } from '../../src/platform/clock.js';
import type { HttpClient } from '../../src/platform/http.js';
import { createLogger } from '../../src/platform/logger.js';

/** Records all data behind a node's services whenever a test requests it. */
export class WatchedServices {
  private readonly observers: readonly SubjectObserver[];

  constructor(
    dataSource: DataSource,
    http: HttpClient,
    clock: Clock,
    { url }: Pick<Devnode, 'url'>,
    { id, record = 'none' }: Pick<ObservedNode, 'id'> & Partial<Pick<ObservedNode, 'record'>>,
  ) {
    const store = new EventStore(dataSource);
    const node: ObservedNode = { id, url, record, backfillFrom: 'first' };
    const api = new NodeApi(http, clock, { url });
    const logger = createLogger('silent');
    const budget = new NodeBudget(1e9);
    const partsOf = () => ({ node, store, clock, api, budget, logger, book: new PollBook() });
    this.observers = [
      new NodeDescriptionObserver({ node, api, store, clock, observations: new ListObservations() }),
      new ClaimsObserver(partsOf()),
      new BlocksObserver(partsOf()),
    ];
  }

  /** Polls with each observer until there is nothing more to fetch at once. */
  async poll(): Promise<void> {
    const { signal } = new AbortController();
    for (const observer of this.observers) while ((await observer.poll(signal)) === 0);
  }
}
