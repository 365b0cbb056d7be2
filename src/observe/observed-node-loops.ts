import type { Subject } from '../domain/events.js';
import type { PaceLimits } from '../domain/submissions/poll-cadence.js';
import type { EventStore } from '../event-log/event-store.js';
import type { NodeApi } from '../node-api/node-api.js';
import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import { BlocksObserver } from './blocks/blocks.observer.js';
import { ClaimsObserver } from './claims.observer.js';
import { LookBook } from './look-book.js';
import { NodeBudget } from './node-budget.js';
import { NodeDescriptionObserver } from './node/node-description.observer.js';
import { NodeWatchObserver } from './node/node-watch.observer.js';
import { ObserverLoop } from './observer-loop.js';
import { ProbesObserver } from './probes/probes.observer.js';
import type { ObservedNode, SubjectObserver } from './subject-observer.js';
import { SubmissionsObserver } from './submissions/submissions.observer.js';

/** What every observer of a node is made from. */
export interface ObserverParts {
  readonly node: ObservedNode;
  readonly api: NodeApi;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pace: PaceLimits;
  /** What the node may write into the log in a day. */
  readonly bytesPerDay: number;
  readonly random: () => number;
}

/** All that watches one node: an observer for each subject, each in a loop of its own. */
export class ObservedNodeLoops {
  private readonly loops: readonly ObserverLoop[];
  private readonly watch: NodeWatchObserver;

  constructor(parts: ObserverParts) {
    const { node, store, clock, logger, random, pace } = parts;
    const subjects: readonly Subject[] = ['submissions', 'blocks', 'probes', 'claims'];
    const books = new Map(subjects.map((subject) => [subject, new LookBook()]));
    const budget = new NodeBudget(parts.bytesPerDay);
    const partsOf = (subject: Subject) => ({ ...parts, budget, book: books.get(subject) ?? new LookBook() });
    this.watch = new NodeWatchObserver(node.id, store, clock, books);
    const observers: SubjectObserver[] = [
      new SubmissionsObserver(partsOf('submissions'), pace),
      new BlocksObserver(partsOf('blocks')),
      new ProbesObserver(partsOf('probes')),
      new ClaimsObserver(partsOf('claims')),
      new NodeDescriptionObserver(parts),
      this.watch,
    ];
    this.loops = observers.map((observer) => {
      const log = logger.child({ node: node.id, subject: observer.subject });
      return new ObserverLoop(observer, clock, log, random);
    });
  }

  /** Starts every loop after `delayMs`. */
  start(delayMs: number): void {
    for (const loop of this.loops) loop.start(delayMs);
  }

  /** Ends the looks under way, then writes down the looks that no event has carried yet. */
  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
    await this.watch.flush();
  }
}
