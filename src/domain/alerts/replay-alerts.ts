import { QUIET_MS } from '../health/trouble.js';
import type { Millis } from '../time.js';
import { AlertLedger, type Message } from './alert-ledger.js';
import { FIRST_MONDAY, holdsAt, WEEK_MS, type MuteTime } from './alert-scope.js';
import { groupBy } from '../collections.js';
import { decideAlerts, type AlertFacts } from './decide-alerts.js';
import { SampledLines, type Finding } from './sampled-lines.js';
import { BREAK_MS, findRuns, type TroubleSpan } from './trouble-runs.js';

/** Placeholder for all destinations. */
const ANYBODY = ['anybody'];

/** The facts of a replay before any sample: all health intervals that touch its time, and the time that rules look back on. */
interface ReplayFacts extends Omit<AlertFacts, 'sampled' | 'watched'> {
  /** Ids of the nodes that were monitored at a moment. */
  readonly watchedAt: (at: Millis) => readonly string[];
  /** The chains of each node that belonged to several. */
  readonly moves: readonly (readonly string[])[];
  /** The moment, inclusive, at which decisions begin; alerts that hold then are raised then. */
  readonly start: Millis;
  /** The moment from which messages are returned. */
  readonly from: Millis;
  /** Inclusive. */
  readonly to: Millis;
}

export interface ReplayedMessages {
  readonly messages: readonly Message[];
  /** Messages of alerts that began before that time and were still open then. When they were really sent is unknown. */
  readonly before: readonly Message[];
}

/** The findings of one sample, by the names of the evaluated rules. */
export type Findings = ReadonlyMap<string, readonly Finding[]>;

/**
 * Computes which messages would have been sent when, by the current rules. Rules are evaluated at each change of health, and at
 * each sample of the other conditions.
 */
export class AlertReplay {
  private readonly owners: Map<string, OwnerReplay>;
  private readonly joined: ReadonlyMap<string, string>;

  constructor(private readonly facts: ReplayFacts) {
    this.joined = joinOwners(facts.moves);
    const lines = [...groupBy(facts.health, (span) => this.ownerOf(span))];
    this.owners = new Map(lines.map(([owner, health]) => [owner, new OwnerReplay({ ...facts, health })]));
  }

  /** Takes the findings at a moment. Samples come in the order of time. */
  look(at: Millis, found: Findings): void {
    const byOwner = new Map(
      [...found].map(([rule, findings]) => [rule, groupBy(findings, (one) => this.ownerOf(one))]),
    );
    for (const owner of [...byOwner.values()].flatMap((groups) => [...groups.keys()])) {
      if (!this.owners.has(owner)) this.owners.set(owner, new OwnerReplay({ ...this.facts, health: [] }));
    }
    for (const [owner, replay] of this.owners)
      replay.look(at, new Map([...byOwner].map(([rule, groups]) => [rule, groups.get(owner) ?? []])));
  }

  /** A chain, or one of the chains that it shares a node with; '' for all nodes whose chain is not known. */
  private ownerOf({ chain }: Pick<TroubleSpan, 'chain'>): string {
    return this.joined.get(chain ?? '') ?? chain ?? '';
  }

  /** All messages that would have been sent. */
  end(): ReplayedMessages {
    const { from, rules } = this.facts;
    const all = [...this.owners.values()].flatMap((replay) => replay.end()).toSorted((a, b) => a.at - b.at);
    const silent = new Set(rules.filter(({ tellsEnd }) => tellsEnd === false).map(({ name }) => name));
    const messages = all.filter(
      ({ at, status, alert }) => at >= from && !(status === 'RESOLVED' && silent.has(alert.rule)),
    );
    const early = all.filter(({ at }) => at < from);
    const over = new Set(early.filter(({ status }) => status === 'RESOLVED').map(({ alert }) => alert.id));
    return { messages, before: early.filter(({ alert }) => !over.has(alert.id)) };
  }
}

/** The replay of one chain, or of several that share a node. */
class OwnerReplay {
  private readonly ledger = new AlertLedger();
  private readonly lines = new SampledLines();
  private readonly messages: Message[] = [];
  private readonly moments: readonly Millis[];
  private next = 0;

  constructor(private readonly facts: ReplayFacts) {
    this.moments = findMoments(facts);
  }

  look(at: Millis, found: Findings): void {
    this.decideBefore(at);
    const had = this.lines.spans.length;
    for (const [rule, findings] of found) this.lines.take(rule, findings, at);
    if (had + this.lines.spans.length > 0) this.decide(at);
  }

  end(): readonly Message[] {
    this.decideBefore(this.facts.to + 1);
    return this.messages;
  }

  private decideBefore(end: Millis): void {
    for (;;) {
      const at = this.moments[this.next];
      if (at === undefined || at >= end) return;
      this.next += 1;
      this.decide(at);
    }
  }

  private decide(at: Millis): void {
    const health = this.facts.health.flatMap((span) => seenAt(span, at));
    const watched = this.facts.watchedAt(at);
    const facts = { ...this.facts, health, sampled: this.lines.spans, watched };
    const { raised, resolved } = decideAlerts(facts, this.ledger.open, at);
    for (const end of resolved) {
      this.ledger.take({ type: 'AlertResolved', at, body: { ...end, destinations: ANYBODY } });
      this.tell(`${end.alert}-resolved`);
    }
    for (const alert of raised) {
      this.ledger.take({ type: 'AlertRaised', at, body: { alert, destinations: ANYBODY } });
      this.tell(`${alert.id}-raised`);
    }
  }

  private tell(key: string): void {
    const notice = this.ledger.find(key);
    if (notice === undefined) return;
    const { waiting: _, ...message } = notice;
    this.messages.push(message);
  }
}

/** Maps each chain that a node moved to or from to one name for all chains joined by such moves: an alert follows its nodes. */
function joinOwners(moves: readonly (readonly string[])[]): Map<string, string> {
  const joined = new Map<string, string>();
  for (const chains of moves) {
    const names = new Set(chains.map((chain) => joined.get(chain) ?? chain));
    const [name = ''] = names;
    for (const [chain, former] of joined) if (names.has(former)) joined.set(chain, name);
    for (const chain of chains) joined.set(chain, name);
  }
  return joined;
}

/** The moments at which health begins or ends, has held long enough, has been calm long enough, or is no longer muted. */
function findMoments({ rules, health, mutes, start, to }: ReplayFacts): Millis[] {
  const delays = [0, BREAK_MS, QUIET_MS];
  const held = rules.flatMap((rule) =>
    [...findRuns(rule, { health, sampled: [] }, to).values()]
      .flat()
      .flatMap(({ heldFrom }) => (heldFrom === null ? [] : Math.ceil(heldFrom))),
  );
  const edges = new Set(health.flatMap((span) => (span.to === null ? span.from : [span.from, span.to])));
  const unmuted = mutes.flatMap(({ when }) => endsOf(when, start, to));
  const moments = new Set([
    start,
    ...unmuted,
    ...held,
    ...[...edges].flatMap((edge) => delays.map((delay) => edge + delay)),
  ]);
  return [...moments].filter((at) => at >= start && at <= to).toSorted((a, b) => a - b);
}

/** A span as known at a moment; nothing if it began later. */
function seenAt<Span extends TroubleSpan>(span: Span, at: Millis): Span[] {
  return span.from <= at ? [{ ...span, to: span.to !== null && span.to <= at ? span.to : null }] : [];
}

/** The moments at which a mute ends within a period. */
function endsOf(when: MuteTime, from: Millis, to: Millis): Millis[] {
  if ('from' in when) return [when.until];
  const ends: Millis[] = [];
  // A Monday is a whole number of weeks after another one, and an end is up to eighteen days after such a whole number.
  const first = Math.floor(from / WEEK_MS) * WEEK_MS;
  for (let week = first - 3 * WEEK_MS; week <= to; week += WEEK_MS) {
    const end = week + FIRST_MONDAY + when.weeklyAt + when.forMs;
    if (!holdsAt(when, end)) ends.push(end);
  }
  return ends;
}
