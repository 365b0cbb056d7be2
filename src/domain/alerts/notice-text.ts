import { duration } from '../health/health-rule.js';
import { toPrintable } from '../printable-text.js';
import { formatTime, millisToNanos } from '../time.js';
import { ALERT_RULES } from './alert-rules.js';
import type { Notice } from './alert-ledger.js';

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
export function toNoticeText({ alert, until }: Pick<Notice, 'alert' | 'until'>): NoticeText {
  const rule = ALERT_RULES.find(({ name }) => name === alert.rule);
  const what = rule?.title ?? alert.rule;
  const where = alert.chain === null ? '' : ` (${toPrintable(alert.chain, LONGEST_NAME)})`;
  const named = alert.nodes.slice(0, MOST_NAMED).map((node) => toPrintable(node, LONGEST_NAME));
  const more = alert.nodes.length - named.length;
  const title = `${until === null ? alert.severity : 'RESOLVED'}: ${what}${where}`;
  const nodes = `Nodes: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const since = `Since: ${timeText(alert.since)}`;
  const lines =
    until === null
      ? [nodes, since, `Why: ${toPrintable(alert.reason, LONGEST_REASON)}`, rule?.means, rule?.remedy]
      : [nodes, since, `Until: ${timeText(until)}, after ${duration(until - alert.since)}`];
  return { title, text: [title, ...lines.filter((line) => line !== undefined)].join('\n') };
}

/** `2026-01-01 00:00:00 UTC`. */
function timeText(at: number): string {
  return `${formatTime(millisToNanos(at), 0).replace('T', ' ').replace('Z', '')} UTC`;
}
