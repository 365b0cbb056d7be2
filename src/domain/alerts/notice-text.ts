import { duration } from '../health/health-rule.js';
import { toPrintable } from '../printable-text.js';
import { formatTime, millisToNanos } from '../time.js';
import type { Message } from './alert-ledger.js';

/** Nodes that a text names; it counts the others. */
const MOST_NAMED = 5;

/** Characters of a name, and of a reason: nodes say both. */
const LONGEST_NAME = 60;
const LONGEST_REASON = 300;

/** A notice for people. */
export interface NoticeText {
  /** One line. */
  readonly title: string;
  /** Title included: what, since when, why, what it means, what to do. Plain text that fits a phone. */
  readonly text: string;
}

/** The words of a notice. Times are UTC. */
export function toNoticeText({
  alert,
  until,
  status,
}: Pick<Message, 'alert' | 'until' | 'status'>): NoticeText {
  const { words, link } = alert;
  const where = alert.chain === null ? '' : ` (${toPrintable(alert.chain, LONGEST_NAME)})`;
  const begin = { RAISED: alert.severity, REMINDED: `STILL ${alert.severity}`, RESOLVED: 'RESOLVED' }[status];
  const title = `${begin}: ${words?.title ?? alert.rule}${where}`;
  const lines = [
    title,
    ...nodesLine(alert.nodes),
    `Since: ${timeText(alert.since)}`,
    ...(until === null
      ? [`Why: ${toPrintable(alert.reason, LONGEST_REASON)}`, words?.means, words?.remedy]
      : [`Until: ${timeText(until)}, after ${duration(until - alert.since)}`]),
    link,
  ];
  return { title, text: lines.filter((line) => line !== undefined).join('\n') };
}

function nodesLine(nodes: readonly string[]): string[] {
  if (nodes.length === 0) return [];
  const named = nodes.slice(0, MOST_NAMED).map((node) => toPrintable(node, LONGEST_NAME));
  const more = nodes.length - named.length;
  return [`Nodes: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
}

/** `2026-01-01 00:00:00 UTC`. */
function timeText(at: number): string {
  return `${formatTime(millisToNanos(at), 0).replace('T', ' ').replace('Z', '')} UTC`;
}
