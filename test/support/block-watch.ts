import { pino } from 'pino';
import type { BlockRecord } from '../../src/domain/blocks/block.js';
import { lateChecksOf, unpackBlocks } from '../../src/domain/blocks/block-facts.js';
import type { EventType, RecordedEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { NodeApi } from '../../src/node-api/node-api.js';
import { BlocksObserver } from '../../src/observe/blocks/blocks.observer.js';
import { PollBook } from '../../src/observe/poll-book.js';
import { NodeBudget } from '../../src/observe/subject-recorder.js';
import type { ObservedNode } from '../../src/observe/subject-observer.js';
import type { HttpClient } from '../../src/platform/http.js';
import type { Database } from '../../src/platform/sql.js';
import { ManualClock } from './manual-clock.js';

type EventOf<T extends EventType> = Extract<RecordedEvent, { type: T }>;

export type BlockWatchOptions = Partial<ObservedNode> & { readonly store?: EventStore };

let ids = 0;

/** An observer of one node, and its events. */
export class BlockWatch {
  readonly clock = new ManualClock();
  readonly book = new PollBook();
  readonly store: EventStore;
  readonly node: ObservedNode;
  observer: BlocksObserver;
  delays: number[] = [];

  constructor(
    private readonly parts: { readonly dataSource: Database; readonly http: HttpClient },
    url: string,
    options: BlockWatchOptions = {},
  ) {
    const { store = new EventStore(parts.dataSource), ...node } = options;
    this.store = store;
    this.node = { id: `n${++ids}`, url, record: 'none', backfillFrom: 'first', ...node };
    this.observer = this.create();
  }

  create(): BlocksObserver {
    const { node, clock, store, book } = this;
    const api = new NodeApi(this.parts.http, clock, { url: node.url, service: 'evnode.v1' });
    const budget = new NodeBudget(1e9);
    return new BlocksObserver({ node, clock, store, book, budget, api, logger: pino({ level: 'silent' }) });
  }

  /** Polls until there is nothing more to fetch at once. */
  async poll(most = 50): Promise<number> {
    const { signal } = new AbortController();
    for (let looks = 0; looks < most; looks++) {
      const delay = await this.observer.poll(signal);
      this.delays.push(delay);
      await this.clock.advance(Math.max(delay, 1));
      if (delay > 0) return delay;
    }
    throw new Error('the observer never rests');
  }

  async events<T extends EventType>(...types: T[]): Promise<EventOf<T>[]> {
    const events = await this.store.readStreamBack(`${this.node.id}/blocks`, types, 10_000);
    return events.reverse() as EventOf<T>[];
  }

  async blocks(lineage = 1): Promise<BlockRecord[]> {
    const events = await this.events('BlocksObserved');
    return events.filter(({ body }) => body.lineage === lineage).flatMap(({ body }) => unpackBlocks(body));
  }

  async heights(lineage = 1): Promise<number[]> {
    return (await this.blocks(lineage)).map(({ header }) => Number(header.height));
  }

  /** Checks after late verdicts, by height. */
  async failures(): Promise<Record<string, string[]>> {
    const checks = new Map<bigint, BlockRecord['checks']>();
    for (const { body } of await this.events('BlocksObserved')) {
      const late = lateChecksOf(body);
      const before = late && checks.get(late.height);
      if (late && before) checks.set(late.height, { ...before, ...late.checks });
      for (const block of unpackBlocks(body)) checks.set(block.header.height, block.checks);
    }
    const failed = [...checks].map(
      ([height, one]) =>
        [
          String(height),
          Object.keys(one)
            .filter((name) => one[name as keyof typeof one] === 'FAILED')
            .sort(),
        ] as const,
    );
    return Object.fromEntries(failed.filter(([, names]) => names.length > 0));
  }

  /** DA heights at the end of the log. */
  async inclusion(): Promise<Map<string, [string | null, string | null]>> {
    const heights = new Map<string, [string | null, string | null]>();
    const text = (height: bigint | null) => (height === null ? null : String(height));
    for (const event of await this.events('BlocksObserved', 'BlockInclusionObserved')) {
      if (event.type === 'BlockInclusionObserved') {
        for (const [height, header, data] of event.body.heights) heights.set(height, [header, data]);
      } else {
        for (const block of unpackBlocks(event.body)) {
          heights.set(String(block.header.height), [text(block.headerDaHeight), text(block.dataDaHeight)]);
        }
      }
    }
    return heights;
  }
}
