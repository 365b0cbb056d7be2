import type { Millis } from '../domain/time.js';
import type { AppendHealth } from '../event-log/append-health.js';
import { type Clock, within } from '../platform/clock.js';
import { messageOf } from '../platform/errors.js';
import type { Logger } from '../platform/logger.js';
import type { ObserverLease } from './observer-lease.js';

export interface LeaderWork {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Whether this process observes, for readiness and metrics. */
export interface LeadershipState {
  /**
   * `leading`: it observes. `standby`: another process has the lease, or the database has not been asked yet. `lost`: it
   * had to give up leading, or the database does not answer who has the lease.
   */
  readonly is: 'leading' | 'standby' | 'lost';
  readonly since: Millis;
  readonly reason?: string;
  /**
   * Milliseconds since leadership was lost; 0 while all is well. Leading again ends the trouble only once the observers
   * have started and the lease was renewed.
   */
  readonly troubleMs: Millis;
  /** The latest reason. */
  readonly trouble?: string;
}

/** Intervals and time limits of a leader and a standby. */
export interface LeadershipPace {
  readonly renewEveryMs: Millis;
  /** A leader that could not renew for this long stops, before the lease runs out and another process takes it. */
  readonly renewWithinMs: Millis;
  /** Interval between two attempts of a standby: the longest that a returned lease stays free. */
  readonly tryEveryMs: Millis;
  /** An append that has waited this long for the database hangs, and the leader stops. */
  readonly appendWithinMs: Millis;
  /** A leader stops when appends have failed for this long without a successful one. */
  readonly failForMs: Millis;
  /** After it had to give up, a process lets others try first for this long. */
  readonly restMs: Millis;
}

/** A lease is valid this long after each renewal. A standby takes over this long after the leader vanished, plus a second. */
export const LEASE_MS = 15_000;

const PACE: LeadershipPace = {
  renewEveryMs: 2_000,
  renewWithinMs: 10_000,
  tryEveryMs: 1_000,
  appendWithinMs: 10_000,
  // A quiet node is still recorded every minute, so one refused append is followed by a good one within this time.
  failForMs: 90_000,
  restMs: 5_000,
};

export interface LeadershipParts {
  readonly lease: ObserverLease;
  readonly led: LeaderWork;
  readonly appends: AppendHealth;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pace?: LeadershipPace;
}

/**
 * Lets one process at a time observe a shard: the process that has the lease. When that process, its host or its network
 * dies, the lease runs out and a standby takes it.
 *
 * Two active observers for a moment would do no harm, since appends are optimistic; they would only be a waste.
 *
 * It is not a `Loop`: one iteration would last as long as the process leads, so the loop's state and outcomes would be
 * meaningless.
 */
export class Leadership {
  private readonly stopping = new AbortController();
  private readonly pace: LeadershipPace;
  private running: Promise<void> | undefined;
  private current: Pick<LeadershipState, 'is' | 'since' | 'reason'>;
  private trouble: { readonly from: number; readonly reason: string } | undefined;

  constructor(private readonly parts: LeadershipParts) {
    this.pace = parts.pace ?? PACE;
    this.current = { is: 'standby', since: parts.clock.now() };
  }

  get state(): LeadershipState {
    const { trouble } = this;
    if (!trouble) return { ...this.current, troubleMs: 0 };
    const troubleMs = this.parts.clock.monotonic() - trouble.from;
    return { ...this.current, troubleMs, trouble: trouble.reason };
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Stops leading (or waiting) and gives the lease back. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    const { clock } = this.parts;
    let isTold = false;
    while (!signal.aborted) {
      const takenAt = clock.monotonic();
      const isOurs = await this.tryToTake();
      if (isOurs) {
        await this.lead(takenAt);
        isTold = false;
      } else if (isOurs === false && !isTold) {
        this.parts.logger.info(
          { shard: this.parts.lease.shard },
          'another process observes this shard; standing by',
        );
        isTold = true;
      }
      const hadToGiveUp = isOurs === true && this.current.is === 'lost';
      await clock.sleep(hadToGiveUp ? this.pace.restMs : this.pace.tryEveryMs, signal);
    }
  }

  /** @returns undefined when the database does not answer */
  private async tryToTake(): Promise<boolean | undefined> {
    try {
      const isOurs = await this.parts.lease.take();
      if (!isOurs) {
        this.trouble = undefined;
        this.become('standby');
      }
      return isOurs;
    } catch (error) {
      this.lose(`the lease cannot be requested: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Leads until it is stopped or must give up. @param takenAt when the lease was requested, by the monotonic clock */
  private async lead(takenAt: number): Promise<void> {
    const { lease, led, logger } = this.parts;
    const { signal } = this.stopping;
    if (!signal.aborted) {
      this.become('leading');
      logger.info({ shard: lease.shard }, 'observing');
      const starting = led.start();
      const reason = await this.holdOn(takenAt, starting);
      if (reason !== undefined) {
        this.lose(reason);
        // The lease goes back without waiting for the observers: they may hang, and do no harm to the next leader.
        await Promise.all([this.giveBack(), this.endLed(starting)]);
        return;
      }
      await this.endLed(starting);
      this.become('standby');
    }
    await this.giveBack();
  }

  /** @returns why leading must end, or undefined when it was stopped */
  private async holdOn(takenAt: number, starting: Promise<void>): Promise<string | undefined> {
    const ended = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, ended.signal]);
    const startFailed = new Promise<string>((resolve) => {
      starting.catch((error: unknown) => resolve(`the observers did not start: ${messageOf(error)}`));
    });
    try {
      const renewing = this.renew(takenAt, starting, signal);
      return await Promise.race([renewing, this.watchAppends(signal), startFailed]);
    } finally {
      ended.abort();
    }
  }

  private async renew(
    takenAt: number,
    starting: Promise<void>,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { lease, clock } = this.parts;
    const { renewEveryMs, renewWithinMs } = this.pace;
    let trouble = 'the database did not answer';
    let hasStarted = false;
    starting.then(
      () => (hasStarted = true),
      () => undefined,
    );
    for (let renewedAt = takenAt; ;) {
      const left = () => renewedAt + renewWithinMs - clock.monotonic();
      await clock.sleep(Math.min(renewEveryMs, left()), signal);
      if (signal.aborted) return undefined;
      if (left() <= 0) return `the lease could not be renewed for ${renewWithinMs / 1_000} s: ${trouble}`;
      const askedAt = clock.monotonic();
      try {
        const isOurs = await within(clock, left(), lease.take(), trouble);
        if (!isOurs) return 'another process has taken the lease';
        renewedAt = askedAt;
        if (hasStarted) this.trouble = undefined;
      } catch (error) {
        trouble = messageOf(error);
      }
    }
  }

  private async watchAppends(signal: AbortSignal): Promise<string | undefined> {
    const { appends, clock } = this.parts;
    const { appendWithinMs, failForMs, renewEveryMs } = this.pace;
    const began = clock.monotonic();
    while (!signal.aborted) {
      // Trouble from before this process led does not count: it leads again to find out whether the trouble persists.
      const ledMs = clock.monotonic() - began;
      if (Math.min(appends.waitingMs, ledMs) >= appendWithinMs) {
        return `an append has waited for the database for ${appendWithinMs / 1_000} s`;
      }
      if (Math.min(appends.failingMs, ledMs) >= failForMs) {
        return `no append succeeded for ${failForMs / 1_000} s: ${appends.trouble?.error}`;
      }
      await clock.sleep(renewEveryMs / 2, signal);
    }
    return undefined;
  }

  private async endLed(starting: Promise<void>): Promise<void> {
    await starting.catch(() => undefined);
    await this.parts.led.stop();
  }

  /** Ignores a failure: a lease that is not given back runs out by itself. */
  private async giveBack(): Promise<void> {
    await this.parts.lease.giveBack().catch(() => undefined);
  }

  private lose(reason: string): void {
    if (this.current.is !== 'lost') {
      this.parts.logger.warn({ shard: this.parts.lease.shard, reason }, 'does not observe');
    }
    this.trouble = { from: this.trouble?.from ?? this.parts.clock.monotonic(), reason };
    this.become('lost', reason);
  }

  private become(is: LeadershipState['is'], reason?: string): void {
    const since = this.current.is === is ? this.current.since : this.parts.clock.now();
    this.current = { is, since, ...(reason !== undefined && { reason }) };
  }
}
