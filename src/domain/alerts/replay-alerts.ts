import type { Millis } from '../time.js';
import { AlertLedger, type Alert } from './alert-ledger.js';
import { ALERT_RULES } from './alert-rules.js';
import { QUIET_MS } from '../health/trouble.js';
import { decideAlerts, type HealthSpan } from './decide-alerts.js';

/** A message that would have been sent. */
export interface ReplayedNotice {
  readonly at: Millis;
  readonly alert: Alert;
  /** Null of the message that it began. */
  readonly until: Millis | null;
}

/**
 * Tells what would have been sent when, had the rules of now been asked at each moment at which they may say something new.
 *
 * @param spans all intervals that touch the time, and the quiet time before it
 * @param from inclusive
 * @param to inclusive
 */
export function replayAlerts(spans: readonly HealthSpan[], from: Millis, to: Millis): ReplayedNotice[] {
  const chains = new Map<string, HealthSpan[]>();
  for (const span of spans) {
    const owner = span.chain ?? span.node;
    const known = chains.get(owner);
    if (known) known.push(span);
    else chains.set(owner, [span]);
  }
  return [...chains.values()]
    .flatMap((ofChain) => replayChain(ofChain, from, to))
    .toSorted((a, b) => a.at - b.at);
}

function replayChain(spans: readonly HealthSpan[], from: Millis, to: Millis): ReplayedNotice[] {
  const ledger = new AlertLedger();
  const notices: ReplayedNotice[] = [];
  for (const at of findMoments(spans, from, to)) {
    const { raised, resolved } = decideAlerts(seenAt(spans, at), ledger.open, at);
    for (const { alert: id, until } of resolved) {
      const alert = ledger.open.find((open) => open.id === id);
      if (alert) notices.push({ at, alert, until });
      ledger.take({ type: 'AlertResolved', at, body: { alert: id, until, destinations: [] } });
    }
    for (const alert of raised) {
      notices.push({ at, alert, until: null });
      ledger.take({ type: 'AlertRaised', at, body: { alert, destinations: [] } });
    }
  }
  return notices;
}

/** When something begins or ends, has held for long enough, or has been calm for long enough. */
function findMoments(spans: readonly HealthSpan[], from: Millis, to: Millis): Millis[] {
  const delays = new Set([0, QUIET_MS, ...ALERT_RULES.map(({ forMs }) => forMs)]);
  const edges = new Set(spans.flatMap((span) => (span.to === null ? span.from : [span.from, span.to])));
  const moments = new Set([from, ...[...edges].flatMap((edge) => [...delays].map((delay) => edge + delay))]);
  return [...moments].filter((at) => at >= from && at <= to).toSorted((a, b) => a - b);
}

/** The intervals as they stood at a moment. */
function seenAt(spans: readonly HealthSpan[], at: Millis): HealthSpan[] {
  return spans
    .filter((span) => span.from <= at)
    .map((span) => ({ ...span, to: span.to !== null && span.to <= at ? span.to : null }));
}
