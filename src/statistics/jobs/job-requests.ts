import { appendNext } from '../../event-log/append-next.js';
import type { EventStore } from '../../event-log/event-store.js';
import type { Clock } from '../../platform/clock.js';

/** Owner of the stream for requests that concern no single chain. */
const ALL_CHAINS = '*';

export interface JobRequest {
  readonly job: string;
  readonly arguments: Readonly<Record<string, string>>;
  /** All chains if left out. */
  readonly chain?: string | undefined;
  readonly by: string;
}

/** Records a request for a job, before the job is queued, so that no job runs without a recorded request. */
export async function recordJobRequest(
  { store, clock }: { readonly store: EventStore; readonly clock: Clock },
  { job, arguments: given, chain = ALL_CHAINS, by }: JobRequest,
): Promise<void> {
  await appendNext(store, `${chain}/operator`, {
    type: 'JobRequested',
    observedAt: clock.now(),
    body: { job, arguments: given, by },
  });
}
