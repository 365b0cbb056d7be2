import type { EventStore } from '../../event-log/event-store.js';
import type { Clock } from '../../platform/clock.js';

/** Where requests are recorded that concern no single chain. */
const ALL_CHAINS = '*';

/** A job that somebody asks for. */
export interface JobRequest {
  readonly job: string;
  readonly arguments: Readonly<Record<string, string>>;
  /** The chain that it concerns; all of them when left out. */
  readonly chain?: string | undefined;
  /** Who asks. */
  readonly by: string;
}

/** Records that somebody asks for a job: before it is given to the queue, so that no job is done that nobody asked for. */
export async function recordJobRequest(
  { store, clock }: { readonly store: EventStore; readonly clock: Clock },
  { job, arguments: given, chain = ALL_CHAINS, by }: JobRequest,
): Promise<void> {
  const stream = `${chain}/operator`;
  const event = {
    type: 'JobRequested',
    observedAt: clock.now(),
    body: { job, arguments: given, by },
  } as const;
  for (;;) {
    const { version } = await store.loadStream(stream);
    const { won } = await store.append({ stream, expectedVersion: version, events: [event] });
    if (won) return;
  }
}
