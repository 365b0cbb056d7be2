import { QUIET_MS } from '../health/trouble.js';
import type { Millis } from '../time.js';
import { AlertLedger, type Message } from './alert-ledger.js';
import { FIRST_MONDAY, holdsAt, WEEK_MS, type MuteTime } from './alert-scope.js';
import { decideAlerts, groupBy, type AlertFacts, type TroubleSpan } from './decide-alerts.js';

/** Stands for all destinations. */
const ANYBODY = ['anybody'];

/**
 * Tells what would have been sent when, had the rules of now been asked at each moment at which they may say something new.
 *
 * @param facts all spans that touch the time, and the quiet time before it
 * @param from inclusive
 * @param to inclusive
 */
export function replayAlerts(facts: AlertFacts, from: Millis, to: Millis): Message[] {
  const ownerOf = ({ chain, node }: TroubleSpan): string => chain ?? node ?? '';
  const [health, sampled] = [groupBy(facts.health, ownerOf), groupBy(facts.sampled, ownerOf)];
  const owners = new Set([...health.keys(), ...sampled.keys()]);
  return [...owners]
    .flatMap((owner) =>
      replayOwner({ ...facts, health: health.get(owner) ?? [], sampled: sampled.get(owner) ?? [] }, from, to),
    )
    .toSorted((a, b) => a.at - b.at);
}

function replayOwner(facts: AlertFacts, from: Millis, to: Millis): Message[] {
  const ledger = new AlertLedger();
  const endsAreTold = new Set(facts.rules.filter((rule) => rule.tellsEnd !== false).map(({ name }) => name));
  const messages: Message[] = [];
  const told = (key: string): void => {
    const notice = ledger.find(key);
    if (notice === undefined) return;
    const { waiting: _, ...message } = notice;
    messages.push(message);
  };
  for (const at of findMoments(facts, from, to)) {
    const seen = {
      ...facts,
      health: facts.health.flatMap((span) => seenAt(span, at)),
      sampled: facts.sampled.flatMap((span) => seenAt(span, at)),
    };
    const { raised, resolved } = decideAlerts(seen, ledger.open, at);
    for (const { alert, until } of resolved) {
      const destinations = endsAreTold.has(ruleOf(ledger, alert)) ? ANYBODY : [];
      ledger.take({ type: 'AlertResolved', at, body: { alert, until, destinations } });
      told(`${alert}-resolved`);
    }
    for (const alert of raised) {
      ledger.take({ type: 'AlertRaised', at, body: { alert, destinations: ANYBODY } });
      told(`${alert.id}-raised`);
    }
  }
  return messages;
}

/** When something begins or ends, has held for long enough, has been calm for long enough, or may be told again. */
function findMoments({ rules, health, sampled, mutes }: AlertFacts, from: Millis, to: Millis): Millis[] {
  const delays = new Set([0, QUIET_MS, ...rules.map(({ forMs }) => forMs)]);
  const edges = new Set(
    [...health, ...sampled].flatMap((span) => (span.to === null ? span.from : [span.from, span.to])),
  );
  const unmuted = mutes.flatMap(({ when }) => endsOf(when, from, to));
  const moments = new Set([
    from,
    ...unmuted,
    ...[...edges].flatMap((edge) => [...delays].map((delay) => edge + delay)),
  ]);
  return [...moments].filter((at) => at >= from && at <= to).toSorted((a, b) => a - b);
}

/** A span as it stood at a moment. */
function seenAt<Span extends TroubleSpan>(span: Span, at: Millis): Span[] {
  return span.from <= at ? [{ ...span, to: span.to !== null && span.to <= at ? span.to : null }] : [];
}

/** When a mute ends within a time. */
function endsOf(when: MuteTime, from: Millis, to: Millis): Millis[] {
  if ('from' in when) return [when.until];
  const ends: Millis[] = [];
  // A Monday is a whole number of weeks behind another one.
  const first = Math.floor(from / WEEK_MS) * WEEK_MS;
  for (let week = first - WEEK_MS; week <= to; week += WEEK_MS) {
    const end = week + FIRST_MONDAY + when.weeklyAt + when.forMs;
    if (!holdsAt(when, end)) ends.push(end);
  }
  return ends;
}

function ruleOf(ledger: AlertLedger, id: string): string {
  return ledger.open.find((alert) => alert.id === id)?.rule ?? '';
}
