import type { Alert, Message } from '../domain/alerts/alert-ledger.js';
import type { AlertDestination } from '../domain/alerts/destinations.js';
import { TRIAL_RULE } from '../domain/alerts/notice-request.js';
import type { Millis } from '../domain/time.js';
import type { HttpClient } from '../platform/http.js';
import { sendNotice } from './send-notice.js';

export interface TrialOutcome {
  readonly destination: string;
  /** Why the destination did not accept the message; undefined if it did. Never names its address. */
  readonly failure: string | undefined;
}

/** Sends a test message to each destination at once. Takes at most as long as one destination may take to answer. */
export function sendTrials(
  http: HttpClient,
  destinations: readonly AlertDestination[],
  { now, publicUrl }: { readonly now: Millis; readonly publicUrl: string | undefined },
  signal: AbortSignal,
): Promise<TrialOutcome[]> {
  const notice = toTrial(now, publicUrl);
  return Promise.all(
    destinations.map(async (destination) => {
      const failure = await sendNotice(http, destination, notice, now, signal);
      return { destination: destination.id, failure: failure?.detail };
    }),
  );
}

function toTrial(now: Millis, publicUrl: string | undefined): Message {
  const alert: Alert = {
    id: `${TRIAL_RULE}-${now}`,
    rule: TRIAL_RULE,
    severity: 'WARNING',
    owner: TRIAL_RULE,
    chain: null,
    nodes: [],
    since: now,
    reason: 'A test of this destination.',
    words: { title: 'A trial', means: 'Nothing is wrong.', remedy: 'There is nothing to do.' },
    ...(publicUrl !== undefined && { link: publicUrl }),
  };
  return { key: `${alert.id}-raised`, alert, status: 'RAISED', until: null, at: now };
}
