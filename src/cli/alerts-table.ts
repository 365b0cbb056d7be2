import { describeCondition, type AlertCondition } from '../domain/alerts/alert-condition.js';
import type { Alert, Message, Silence } from '../domain/alerts/alert-ledger.js';
import type { AlertRule } from '../domain/alerts/alert-rules.js';
import type { AlertScope } from '../domain/alerts/alert-scope.js';
import { toNoticeText } from '../domain/alerts/notice-text.js';
import { duration } from '../domain/health/health-rule.js';
import { millisToMicros, type Millis } from '../domain/time.js';
import type { Unjudged } from '../alerts/condition-sampler.js';
import type { Replay } from './alerts-replay.js';
import { toSecond } from './moments.js';
import { printTable } from './table.js';

export function printRules(rules: readonly AlertRule[]): string {
  return printTable(
    [
      { title: 'rule', read: ({ name }) => name },
      { title: 'severity', read: ({ severity }) => severity },
      { title: 'after', read: ({ forMs }) => (forMs === 0 ? '' : duration(forMs)) },
      { title: 'when', read: ({ condition }) => describeCondition(condition) },
      { title: 'of', read: ({ scope }) => scopeText(scope ?? {}) },
    ],
    rules,
  );
}

/** Rules that cannot be evaluated now. */
export function printUnjudged(unjudged: readonly Unjudged[]): string {
  if (unjudged.length === 0) return '';
  return printTable(
    [
      { title: 'cannot be judged', read: ({ rule }) => rule },
      { title: 'chain', read: ({ chain }) => chain },
      { title: 'why', read: ({ why }) => why },
    ],
    unjudged,
  );
}

/** Alerts that were raised and not resolved. */
export function printOpen(open: readonly Alert[]): string {
  if (open.length === 0) return 'No alert is open.\n';
  return printTable(
    [
      { title: 'open since', read: ({ since }) => timeText(since) },
      { title: 'rule', read: ({ rule }) => rule },
      { title: 'severity', read: ({ severity }) => severity },
      { title: 'chain', read: ({ chain }) => chain ?? '' },
      { title: 'nodes', read: ({ nodes }) => nodes.join(', ') },
    ],
    open,
  );
}

/** Active silences. */
export function printSilences(silences: readonly Silence[]): string {
  if (silences.length === 0) return '';
  return printTable(
    [
      { title: 'silenced until', read: ({ until }) => timeText(until) },
      { title: 'what', read: ({ scope }) => scopeText(scope) || 'everything' },
      { title: 'by', read: ({ by }) => by },
      { title: 'note', read: ({ note }) => note },
      { title: 'id', read: ({ id }) => id },
    ],
    silences,
  );
}

/** Messages that would have been sent, alerts that were open before, and rules that were left out. */
export function printReplay({ messages, before, leftOut, isWatched, pace }: Replay): string {
  const none = isWatched
    ? 'Nothing would have been sent.\n'
    : 'Nothing is recorded of that time: no node was watched.\n';
  const parts = [
    messages.length === 0 ? none : printMessages(messages),
    before.length === 0
      ? ''
      : `Told before that time, and not over when it begins; when they were sent was not asked:\n${printMessages(before, 'before')}`,
    leftOut.length === 0
      ? ''
      : `Not asked, so that it is not known what they would have sent:\n${printLeftOut(leftOut)}`,
    pace <= USUAL_PACE
      ? ''
      : `All but health was asked each ${duration(pace)}: what held for less may be missing. A shorter time is asked each minute.\n`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** @param sent replaces the time of sending; the time if left out */
function printMessages(messages: readonly Message[], sent?: string): string {
  return printTable(
    [
      { title: 'sent', read: ({ at }) => sent ?? timeText(at) },
      { title: 'message', read: (message) => toNoticeText(message).title },
      { title: 'since', read: ({ alert }) => timeText(alert.since) },
      { title: 'until', read: ({ until }) => (until === null ? '' : timeText(until)) },
      { title: 'nodes', read: ({ alert }) => alert.nodes.join(', ') },
    ],
    messages,
  );
}

/** Lists the rules with the reason why each was left out: whether they would have sent anything is unknown. */
function printLeftOut(rules: readonly AlertRule[]): string {
  return rules
    .map(({ name, condition }) => `  ${name}: ${NOT_ON_RECORD[condition.kind] ?? WITH_KNOWN_AT}\n`)
    .join('');
}

const USUAL_PACE: Millis = 60_000;
const WITH_KNOWN_AT = 'with --known-at health alone is asked';
const NOT_ON_RECORD: Readonly<Partial<Record<AlertCondition['kind'], string>>> = {
  pending: 'how many blocks waited at a moment of the past is not on record',
  hindsight: 'how Hindsight itself was is not on record',
  disk: 'how full the disk was is not on record',
};

function scopeText({ rules, nodes, chains }: AlertScope): string {
  const parts = { rules, nodes, chains };
  return Object.entries(parts)
    .flatMap(([name, patterns]) => (patterns ? [`${name} ${patterns.join(', ')}`] : []))
    .join('; ');
}

function timeText(at: Millis): string {
  return toSecond(millisToMicros(at));
}
