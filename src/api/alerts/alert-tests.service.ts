import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { sendTrials } from '../../alerts/trial.js';
import { EventStore } from '../../event-log/event-store.js';
import { HttpClient } from '../../platform/http.js';
import { withSlot } from '../../platform/reads/read-request.js';
import { WeightedSemaphore } from '../../platform/reads/weighted-semaphore.js';
import { recordJobRequest } from '../../statistics/jobs/job-requests.js';
import { API_OPTIONS, NO_ALERTS, type ApiOptions } from '../api-options.js';
import { ApiError, tooMany } from '../errors.js';
import { AlertTest } from './alert-destination.type.js';

/** Requests that may wait: tests run one after the other, so that no client floods a destination. */
const MOST_WAITING = 3;

/** Sends test messages to the destinations of the settings. */
@Injectable()
export class AlertTestsService implements OnApplicationShutdown {
  private readonly http = new HttpClient();
  private readonly ending = new AbortController();
  private readonly turns = new WeightedSemaphore(1, {
    mostWaiting: MOST_WAITING,
    full: () => tooMany('Too many test messages are being sent; try again in a moment.'),
  });

  constructor(
    private readonly store: EventStore,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'alerts' | 'clock'>,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.ending.abort();
    await this.http.close();
  }

  /**
   * Sends a test message to one destination, or to all, and waits for the answers: 15 s at most. Its author is recorded before.
   * @throws ApiError NOT_FOUND if the settings have no such destination, or none
   */
  async test(id: string | null | undefined, by: string): Promise<AlertTest[]> {
    const { destinations: all, publicUrl } = this.options.alerts ?? NO_ALERTS;
    const destinations = all.filter((destination) => typeof id !== 'string' || destination.id === id);
    if (destinations.length === 0)
      throw new ApiError(
        'NOT_FOUND',
        typeof id === 'string'
          ? `The settings of this process name no destination ${JSON.stringify(id.slice(0, 100))}.`
          : 'The settings of this process name no destination under alerts.destinations.',
      );
    return withSlot(this.turns, async () => {
      const { clock } = this.options;
      const job = {
        job: 'test-alert',
        arguments: { destinations: destinations.map((one) => one.id).join(' ') },
        by,
      };
      await recordJobRequest({ store: this.store, clock }, job);
      const trial = { now: clock.now(), publicUrl };
      const outcomes = await sendTrials(this.http, destinations, trial, this.ending.signal);
      return outcomes.map(({ destination, failure }) =>
        Object.assign(new AlertTest(), {
          destination,
          accepted: failure === undefined,
          error: failure ?? null,
        }),
      );
    });
  }
}
