import { duration } from '../health/health-rule.js';
import { toPrintable } from '../printable-text.js';
import { formatTime, millisToNanos } from '../time.js';
import type { Message } from './alert-ledger.js';

/** The most nodes that a text names; it counts the others. */
const MOST_NAMED = 5;

/** The most characters of a name, and of a reason: both come from nodes. */
const LONGEST_NAME = 60;
const LONGEST_REASON = 300;

/** The time before an alert that has its causes: a rule holds only after enough was seen. */
const LED_UP_MS = 3_600_000;

export interface NoticeText {
  /** One line. */
  readonly title: string;
  /** Title, since when, why, what it means, what to do. Plain text that fits a phone. */
  readonly text: string;
}

/** The words of a notice. Times are UTC. */
export function toNoticeText(notice: Message): NoticeText {
  const { words, link, nodes, severity, rule, chain } = notice.alert;
  const where = chain === null ? '' : ` (chain ${toPrintable(chain, LONGEST_NAME)})`;
  const begin = {
    RAISED: severity,
    REMINDED: `STILL ${severity}`,
    ACKNOWLEDGED: 'ACKNOWLEDGED',
    RESOLVED: isAllGone(notice) ? 'NO LONGER MONITORED' : 'RESOLVED',
  }[notice.status];
  const who = nodes.length === 0 ? begin : `${begin} ${firstOf(nodes)}`;
  const title = `${who}: ${words?.title ?? rule}${where}, ${timesOf(notice)}`;
  const named = nodes.length > 1 ? namesLine('Nodes', nodes) : undefined;
  const lines = [title, ...storyOf(notice), named, runbookOf(notice), link];
  return { title, text: lines.filter((line) => line !== undefined).join('\n') };
}

/** The first line alone is on a locked screen, so it has the time. */
function timesOf({ alert: { since }, until, at }: Message): string {
  if (until !== null) return `after ${duration(until - since)}`;
  const [day, time] = timeText(since).split(' ');
  return `since ${timeText(at).startsWith(day ?? '') ? '' : `${day} `}${time?.slice(0, 5)} UTC`;
}

function storyOf({ alert, until, at, status, reason, by, gone = [] }: Message): (string | undefined)[] {
  const { since, words } = alert;
  const begun = `Since: ${timeText(since)}`;
  if (by !== undefined) return [begun, `Acknowledged by ${toPrintable(by, LONGEST_NAME)}`];
  if (until !== null) {
    const end = `Until: ${timeText(until)}, after ${duration(until - since)}`;
    return [begun, end, namesLine('No longer monitored', gone)];
  }
  const [first = '', another] = alert.nodes.map((node) => toPrintable(node, LONGEST_NAME));
  // With several nodes, the reason is the first node's.
  const isOld = status === 'REMINDED' && reason === undefined;
  const because = toPrintable(reason ?? alert.reason, LONGEST_REASON);
  const where = another === undefined ? '' : isOld ? `, on ${first}` : `On ${first}`;
  const when = `${isOld ? 'At first' : ''}${where}`;
  const why = when === '' ? because : `${when}: ${because}`;
  const remedy = remedyOf(alert);
  const sentences = [why, words?.means, remedy && `What to do: ${remedy}`];
  const age = duration(at - since);
  return [
    status === 'REMINDED' ? `${begun}, for ${age}` : `${begun}, ${age} before this message`,
    ...sentences,
  ];
}

/** The remedy. A command in it for a node and a time gets those of the alert, if the alert has one node. */
function remedyOf({ words, nodes, since }: Message['alert']): string | undefined {
  const [node, another] = nodes;
  if (node === undefined || another !== undefined) return words?.remedy;
  const from = formatTime(millisToNanos(since - LED_UP_MS), 0);
  const command = `incident ${toPrintable(node, LONGEST_NAME)} --from ${from}`;
  return words?.remedy.replace('incident NODE --from TIME', () => command);
}

/** Whether all its nodes are no longer monitored, so that it is not known to be over. */
function isAllGone({ alert: { nodes }, gone = [] }: Message): boolean {
  return nodes.length > 0 && nodes.every((node) => gone.includes(node));
}

function runbookOf({ alert: { runbook }, until }: Message): string | undefined {
  return runbook === undefined || until !== null ? undefined : `Runbook: ${runbook}`;
}

/** `alpha`, or `alpha and 2 more`. */
function firstOf(nodes: readonly string[]): string {
  const first = toPrintable(nodes[0] ?? '', LONGEST_NAME);
  return nodes.length > 1 ? `${first} and ${nodes.length - 1} more` : first;
}

function namesLine(what: string, nodes: readonly string[]): string | undefined {
  if (nodes.length === 0) return undefined;
  const named = nodes.slice(0, MOST_NAMED).map((node) => toPrintable(node, LONGEST_NAME));
  const more = nodes.length - named.length;
  return `${what}: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** `2026-01-01 00:00:00 UTC`. */
function timeText(at: number): string {
  return `${formatTime(millisToNanos(at), 0).replace('T', ' ').replace('Z', '')} UTC`;
}
