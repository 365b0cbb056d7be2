import type { Database } from '../../platform/sql.js';
import type { EventStore } from '../../event-log/event-store.js';
import { readLogTime } from '../../event-log/log-time.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import type { Loop } from '../../platform/loops/loop.js';
import type { LoopDirectory } from '../../platform/loops/loop-directory.js';
import type { LeaderWork } from '../leadership.js';
import { changeStream } from '../change-stream.js';
import { type ClockStep, ClockWatch, EVERY_MS, ObserverClock } from './clock-watch.js';

/** What the observers of a process are run with. */
export interface SteadyObserversParts {
  readonly dataSource: Database;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly loops: LoopDirectory;
  /** Ids of the nodes that are observed: each one's stream says when the clock was set. */
  readonly nodes: readonly string[];
  /** Makes the observers, on the time that they shall use. */
  readonly observeOn: (time: Clock) => LeaderWork;
}

/** Runs the observers on a time of their own: the database's when they begin, steady from there. */
export class SteadyObservers implements LeaderWork {
  private observers: LeaderWork | undefined;
  private watching: Loop | undefined;

  constructor(private readonly parts: SteadyObserversParts) {}

  async start(): Promise<void> {
    const { dataSource, clock, logger, loops, observeOn } = this.parts;
    const { nowMs } = await readLogTime(dataSource);
    const time = new ObserverClock(clock, nowMs);
    this.observers = observeOn(time);
    await this.observers.start();
    const watch = new ClockWatch({
      wall: clock,
      time,
      readLogTime: () => readLogTime(dataSource),
      record: (step) => this.record(step, time),
      logger,
    });
    this.watching = watch.toLoop();
    loops.start(this.watching, EVERY_MS);
  }

  async stop(): Promise<void> {
    const { observers, watching } = this;
    this.observers = undefined;
    this.watching = undefined;
    await Promise.all([watching && this.parts.loops.stop(watching), observers?.stop()]);
  }

  private async record(body: ClockStep, time: Clock): Promise<void> {
    const event = { type: 'ClockStepped', observedAt: time.now(), body } as const;
    const { store, nodes } = this.parts;
    await Promise.all(nodes.map((node) => changeStream(store, `${node}/node`, () => ({ event }))));
  }
}
