import type { NewEvent, Subject } from '../domain/events.js';
import type { PaceLimits } from '../domain/submissions/poll-cadence.js';
import type { Millis } from '../domain/time.js';
import type { EventStore } from '../event-log/event-store.js';
import type { NodeApi } from '../node-api/node-api.js';
import type { Clock } from '../platform/clock.js';
import { messageOf } from '../platform/errors.js';
import type { Logger } from '../platform/logger.js';
import { Loop, type LoopDirectory } from '../platform/loops/loop.js';
import { inSpan } from '../platform/tracing.js';
import { BlocksObserver } from './blocks/blocks.observer.js';
import { ClaimsObserver } from './claims/claims.observer.js';
import { PollBook } from './poll-book.js';
import { NodeBudget, type RecorderParts } from './subject-recorder.js';
import { NodeDescriptionObserver } from './node/node-description.observer.js';
import { NodeWatchObserver } from './node/node-watch.observer.js';
import { ProbesObserver } from './probes/probes.observer.js';
import type { PollWatch, PollOutcome } from './poll-watch.js';
import type { ObservedNode, SeeingObserver, SubjectObserver } from './subject-observer.js';
import type { SystemObservers } from './systems/system-observers.js';
import { ListObservations } from './submissions/list-observations.js';
import { SubmissionsObserver } from './submissions/submissions.observer.js';

export interface ObserverParts {
  readonly node: ObservedNode;
  readonly api: NodeApi;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pace: PaceLimits;
  /** Daily limit of bytes that the node may write into the log. */
  readonly bytesPerDay: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly loops: LoopDirectory;
  readonly polls: PollWatch;
  /** Left out: no system behind the node is polled. */
  readonly systems?: SystemObservers;
}

/** Backoff after an error that is not the node's (a database outage, for example). */
const BACKOFF = { firstMs: 500, longestMs: 15_000 };

/** Keeps a thousand nodes from being polled in lockstep. */
const JITTER = 0.1;

type SubjectParts = ObserverParts & RecorderParts & { readonly observations: ListObservations };

/** Undefined: the settings name no such system for the node. */
const OBSERVERS: { readonly [S in Subject]: (parts: SubjectParts) => SeeingObserver | undefined } = {
  submissions: (parts) => new SubmissionsObserver(parts, parts.pace),
  blocks: (parts) => new BlocksObserver(parts),
  probes: (parts) => new ProbesObserver(parts),
  claims: (parts) => new ClaimsObserver(parts),
  daNode: (parts) => parts.systems?.daNode(parts),
  execution: (parts) => parts.systems?.execution(parts),
};

/** All observers of one node: one for each subject, each in its own loop. */
export class ObservedNodeLoops {
  private readonly directory: LoopDirectory;
  private readonly loops: readonly Loop[];
  private readonly watch: NodeWatchObserver;

  constructor(parts: ObserverParts) {
    const { node, store, clock, polls } = parts;
    const log = new NodeLog(parts.logger, node);
    this.directory = parts.loops;
    const budget = new NodeBudget(parts.bytesPerDay);
    const subjects = Object.keys(OBSERVERS) as Subject[];
    const books = new Map<Subject, PollBook>();
    const watch = new NodeWatchObserver(node.id, store, clock, books);
    this.watch = watch;
    const recorded = (events: readonly NewEvent[]) => {
      watch.noteRecorded(events);
      log.noteRecorded(events);
      polls.recorded(node.id, events);
    };
    const described = (chain: string | null) => {
      log.nameChain(chain);
      watch.noteChain(chain);
      polls.watches(node.id, chain);
    };
    polls.watches(node.id, node.chain ?? null);
    const observations = new ListObservations();
    const own = { ...parts, logger: log.logger, budget, recorded, described, observations };
    const watched = subjects.flatMap((subject) => {
      const book = new PollBook();
      const observer = OBSERVERS[subject]({ ...own, book });
      if (observer === undefined) return [];
      books.set(subject, book);
      return [{ subject, observer: new ReportingObserver(subject, observer, polls, clock) }];
    });
    this.loops = [
      ...watched.map(({ subject, observer }) => loopOf(`${node.id}/${subject}`, observer, own)),
      loopOf(`${node.id}/description`, new NodeDescriptionObserver(own), own),
      loopOf(`${node.id}/watch`, this.watch, own),
    ];
  }

  start(delayMs: Millis): void {
    for (const loop of this.loops) this.directory.start(loop, delayMs);
  }

  /** Ends the polls in progress, then writes the polls that no event has carried yet. */
  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => this.directory.stop(loop)));
    await this.watch.flush();
  }
}

/** Makes one loop per node and subject, so a dead node delays no other. */
export function loopOf(
  name: string,
  observer: SubjectObserver,
  { clock, logger, random }: Pick<ObserverParts, 'clock' | 'logger' | 'random'>,
): Loop {
  const work = {
    name,
    turn: (signal: AbortSignal) =>
      inSpan(`poll ${observer.subject}`, { 'hindsight.loop': name }, () => observer.poll(signal)),
    onFailure: (error: unknown, retryInMs: Millis) =>
      logger.warn(
        { subject: observer.subject, error: messageOf(error), retryInMs },
        'a poll could not be recorded',
      ),
  };
  return new Loop(work, { clock, backoff: BACKOFF, jitter: { share: JITTER, random } });
}

/** Reports each poll of a subject's observer to a `PollWatch`. A poll that a stop cut short does not count. */
class ReportingObserver implements SubjectObserver {
  constructor(
    readonly subject: Subject,
    private readonly observer: SeeingObserver,
    private readonly polls: PollWatch,
    private readonly clock: Clock,
  ) {}

  async poll(signal: AbortSignal): Promise<Millis> {
    const began = this.clock.monotonic();
    let outcome: PollOutcome = 'failed';
    try {
      const pauseMs = await this.observer.poll(signal);
      outcome = this.observer.hasSeen ? 'ok' : 'refused';
      return pauseMs;
    } finally {
      if (!signal.aborted) this.polls.polled(this.subject, outcome, this.clock.monotonic() - began);
    }
  }
}

/** The log lines of one node, with its id, its chain once known, and gaps in its list. */
class NodeLog {
  /** Do not make a child logger from this: a child would keep the chain known at that time. */
  readonly logger: Logger;
  private chain: string | null = null;

  constructor(logger: Logger, { id: node, chain }: Pick<ObservedNode, 'id' | 'chain'>) {
    this.logger = logger.child({ node });
    this.nameChain(chain ?? null);
  }

  /** After a node switches chains, its lines name both chains, the present one last. */
  nameChain(chain: string | null): void {
    if (chain === null || chain === this.chain) return;
    this.chain = chain;
    this.logger.setBindings({ chain });
  }

  /** Logs gaps in the list. The time before the first poll is no gap, so it is not logged. */
  noteRecorded(events: readonly NewEvent[]): void {
    for (const event of events) {
      switch (event.type) {
        case 'SubmissionWindowLost':
        case 'SubmissionRingReset':
        case 'SubmissionOverlapAmbiguous': {
          const { after, minLost, maxLost, likelyLost } = event.body;
          const gap = { found: event.type, afterSequence: after, minLost, maxLost, likelyLost };
          this.logger.info(gap, 'a gap: rows of the list may have been missed');
          break;
        }
        default:
      }
    }
  }
}
