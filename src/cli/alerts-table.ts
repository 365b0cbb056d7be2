import { describeCondition, NOT_ON_RECORD } from '../domain/alerts/alert-condition.js';
import type { Alert, Message, RecordedSilence } from '../domain/alerts/alert-ledger.js';
import type { AlertRule } from '../domain/alerts/alert-rules.js';
import type { AlertScope } from '../domain/alerts/alert-scope.js';
import { toNoticeText } from '../domain/alerts/notice-text.js';
import { duration } from '../domain/health/health-rule.js';
import { millisToMicros, type Millis } from '../domain/time.js';
import type { Unjudged } from '../alerts/condition-sampler.js';
import type { Replay } from './alerts-replay.js';
import { isoOf, toJsonText } from './json.js';
import { toSecond } from './moments.js';
import { printTable } from '../platform/table.js';

interface AlertLists {
  readonly rules: readonly AlertRule[];
  readonly unjudged: readonly Unjudged[];
  readonly silences: readonly RecordedSilence[];
  readonly open: readonly Alert[];
}

/** The rules, those that cannot be evaluated, silences and open alerts as JSON. */
export function alertsToJson({ rules, unjudged, silences, open }: AlertLists): string {
  const timeOf = (at: Millis): string | null => isoOf(millisToMicros(at));
  return toJsonText({
    rules: rules.map(({ name, severity, forMs, condition, scope = {} }) => ({
      name,
      severity,
      forSeconds: forMs / 1_000,
      condition: describeCondition(condition),
      scope,
    })),
    notEvaluated: unjudged,
    silences: silences.map(({ from, until, ...silence }) => ({
      ...silence,
      from: timeOf(from),
      until: timeOf(until),
    })),
    open: open.map(({ since, ...alert }) => ({ ...alert, since: timeOf(since) })),
  });
}

export function printRules(rules: readonly AlertRule[]): string {
  return printTable(
    [
      { title: 'rule', read: ({ name }) => name },
      { title: 'severity', read: ({ severity }) => severity },
      { title: 'after', read: ({ forMs }) => (forMs === 0 ? '' : duration(forMs)) },
      { title: 'when', read: ({ condition }) => describeCondition(condition) },
      { title: 'applies to', read: ({ scope }) => scopeText(scope ?? {}) },
    ],
    rules,
  );
}

export function printUnjudged(unjudged: readonly Unjudged[]): string {
  if (unjudged.length === 0) return '';
  return printTable(
    [
      { title: 'cannot be evaluated', read: ({ rule }) => rule },
      { title: 'chain', read: ({ chain }) => chain },
      { title: 'why', read: ({ why }) => why },
    ],
    unjudged,
  );
}

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

export function printSilences(silences: readonly RecordedSilence[]): string {
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
    : 'Nothing is recorded for that time: no node was monitored.\n';
  const parts = [
    messages.length === 0 ? none : printMessages(messages),
    before.length === 0
      ? ''
      : `Already open when that time begins (sent earlier, at a time that was not computed):\n${printMessages(before, 'before')}`,
    leftOut.length === 0
      ? ''
      : `Not evaluated, so what these rules would have sent is unknown:\n${printLeftOut(leftOut)}`,
    pace <= USUAL_PACE
      ? ''
      : `Conditions other than health were evaluated every ${duration(pace)}: shorter ones may be missing. A shorter time range is evaluated every minute.\n`,
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
const WITH_KNOWN_AT = 'with --known-at only rules of health are evaluated';

function scopeText({ rules, nodes, chains }: AlertScope): string {
  const parts = { rules, nodes, chains };
  return Object.entries(parts)
    .flatMap(([name, patterns]) => (patterns ? [`${name} ${patterns.join(', ')}`] : []))
    .join('; ');
}

function timeText(at: Millis): string {
  return toSecond(millisToMicros(at));
}
