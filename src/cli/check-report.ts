import { toPrintable } from '../domain/printable-text.js';
import { duration } from '../domain/health/health-rule.js';
import { nanosToMillis, type Millis, type Nanos } from '../domain/time.js';
import type { SubmissionRow } from '../domain/submissions/submission-row.js';
import { isUnusable, type UnusableAnswer, type NodeInspection } from '../observe/node/inspect-node.js';
import { toJsonText } from './json.js';
import type { Paint } from '../platform/paint.js';
import { alignCells } from '../platform/table.js';

/** Limit of UTF-16 units for one line about a node. */
const LONGEST_FACT = 2_000;

export interface CheckReport {
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly recordable: readonly string[];
  readonly lacking: readonly string[];
}

/** A system with its address, masked. */
export interface CheckedSystem {
  readonly url: string;
  readonly report: CheckReport;
}

/** Reports as JSON: facts by name, in words. */
export function reportsToJson(systems: readonly CheckedSystem[]): string {
  const checked = systems.map(({ url, report: { facts, recordable, lacking } }) => ({
    url,
    facts: Object.fromEntries(facts),
    recordable,
    lacking,
  }));
  return toJsonText({ checked });
}

const SHAPES = {
  EV_NODE: 'as the real node (camelCase, base64)',
  SPEC: 'as the specification (snake_case)',
} as const;

/** Describes a poll of a node in words. `now` is the observer's clock. */
export function describeInspection(seen: NodeInspection, now: Millis): CheckReport {
  return { facts: listFacts(seen, now), recordable: listRecordable(seen), lacking: listLacking(seen) };
}

function listFacts(seen: NodeInspection, now: Millis): CheckReport['facts'] {
  const { description, live, newestBlock: block, submissions, claim } = seen;
  const nodeNow = now + (seen.clockOffsetMs ?? 0);
  const role = description.aggregator ? 'aggregator' : 'not an aggregator';
  return Object.entries({
    Reachable: live.statusCode === null ? `no, ${live.detail}` : `yes, in ${live.latencyMs} ms`,
    Live: probeText(live),
    Ready: probeText(seen.ready),
    'Status endpoint': statusText(seen),
    'Block service': description.servicePrefix ?? 'not found',
    Shape: description.shape ? SHAPES[description.shape] : 'unknown',
    Chain: description.chain ?? 'unknown',
    Head: isUnusable(block) ? 'unknown' : `${block.header.height}, ${ageText(block.header.timeNs, nodeNow)}`,
    'Oldest block': seen.oldest === null ? 'unknown' : String(seen.oldest),
    'Included up to': seen.included === null ? 'not reported' : String(seen.included),
    Role: description.aggregator === null ? 'not reported' : role,
    'DA monitoring': listText(submissions),
    'Newest attempt': isUnusable(submissions) ? 'none seen' : attemptText(submissions.newest),
    'DA health, as reported': isUnusable(claim) ? 'nothing' : (claim.status ?? 'nothing'),
    Namespaces: namespaceText(seen),
    Clock: clockText(seen.clockOffsetMs),
  });
}

function listRecordable({ live, submissions, newestBlock, oldest, claim, status }: NodeInspection): string[] {
  const found = [
    live.statusCode !== null && 'whether it can be reached, is live and ready, and how fast it answers',
    !isUnusable(submissions) &&
      'every DA submission from now on (submissions that already left the list in its memory are gone)',
    !isUnusable(newestBlock) &&
      `its blocks from ${oldest ?? 'the oldest it has'} on, each checked, and when they reach the DA layer`,
    !isUnusable(claim) && 'what it reports of its DA health, next to what Hindsight concludes',
    status?.outcome === 'OK' && 'whether it is catching up',
  ];
  return found.filter((sentence) => sentence !== false);
}

function listLacking(seen: NodeInspection): string[] {
  const { submissions, newestBlock, oldest, claim, status } = seen;
  const missing = [
    isUnusable(submissions) && `its DA submissions, because ${whyNoList(submissions, seen)}`,
    !isUnusable(submissions) &&
      submissions.count > 0 &&
      !submissions.isPriced &&
      'what its submissions cost, because no submission reports a gas price above 0: that needs a price book (hindsight prices set)',
    isUnusable(newestBlock) && `its blocks, because ${newestBlock.detail}`,
    oldest !== null && oldest > 1n && `blocks before ${oldest}, because the node no longer has them`,
    isUnusable(claim) && `what it reports of its DA health, because ${claim.detail}`,
    status === undefined && 'whether it is catching up, because no status endpoint was given (--status URL)',
    status !== undefined &&
      status.outcome !== 'OK' &&
      `whether it is catching up, because its status endpoint failed: ${probeText(status)}`,
  ];
  return missing.filter((sentence) => sentence !== false);
}

/**
 * A node that syncs only by P2P has no list, whatever its flags are. Flags begin with the name of the services, for example
 * `evnode.v1`.
 */
function whyNoList({ state, detail }: UnusableAnswer, { submitted, description }: NodeInspection): string {
  if (state === 'NOT_SUPPORTED') return `${detail}: a newer version has it`;
  if (state === 'NOT_AGGREGATOR') return 'it is not an aggregator: watch the aggregator of its chain too';
  if (state !== 'DISABLED') return detail;
  const [name = 'evnode'] = description.servicePrefix?.split('.') ?? [];
  const flag = `--${name}.rpc.enable_da_visualization`;
  return submitted !== null
    ? `${detail}: start the node with ${flag}`
    : `${detail}: watch the aggregator of its chain, started with ${flag}; a node that syncs by P2P alone has no list`;
}

function probeText({ outcome, statusCode, detail }: NodeInspection['live']): string {
  const code = statusCode === null ? '' : ` (${statusCode})`;
  return outcome === 'OK'
    ? `yes${code}`
    : `${outcome.toLowerCase().replace('_', ' ')}${code}${detail && `, ${detail}`}`;
}

function statusText({ status }: NodeInspection): string {
  if (!status) return 'not polled, no address given';
  const catching = status.catchingUp === null ? '' : status.catchingUp ? ', catching up' : ', caught up';
  return probeText(status) + catching;
}

function listText(list: NodeInspection['submissions']): string {
  if (!isUnusable(list)) return `on, ${list.count} attempts in its list`;
  const words: Partial<Record<UnusableAnswer['state'], string>> = {
    DISABLED: 'off, or missing at this node',
    NOT_SUPPORTED: 'not in this version',
    NOT_AGGREGATOR: 'on, but this node does not submit',
  };
  return `${words[list.state] ?? 'unusable'}: ${list.detail}`;
}

function attemptText(row: SubmissionRow | null): string {
  if (!row) return 'none yet';
  const parts = [
    row.statusText ?? 'of unknown outcome',
    row.occurredAtText && `at ${row.occurredAtText}`,
    row.blobCount !== null && `${row.blobCount} ${row.blobCount === 1 ? 'blob' : 'blobs'}`,
    row.sizeBytes !== null && `${row.sizeBytes} bytes`,
    row.daHeight !== null && `DA height ${row.daHeight}`,
    row.message,
    row.unreadable.length > 0 && `not readable: ${row.unreadable.join(', ')}`,
  ];
  return parts.filter((part) => part !== null && part !== false && part !== '').join(', ');
}

function namespaceText({
  description: { headerNamespace: header, dataNamespace: data },
}: NodeInspection): string {
  if (header === null) return 'not reported';
  return header === data ? `${header} for headers and data` : `headers ${header}, data ${data ?? 'unknown'}`;
}

/** `now` is the node's clock if the node reports it, because the block's time is by that clock. */
function ageText(time: Nanos, now: Millis): string {
  const seconds = Math.round((now - nanosToMillis(time)) / 1_000);
  return seconds < 0 ? `${-seconds} s ahead of the clock` : `${duration(seconds * 1_000)} old`;
}

function clockText(offset: Millis | null): string {
  if (offset === null) return 'the node sends no time';
  const seconds = Math.round(offset / 1_000);
  if (Math.abs(seconds) <= 1) return 'agrees with ours to a second';
  return `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} ours`;
}

/**
 * Prints a report: names in one column, values in the next, then the two lists. The values come from the node and are made
 * printable.
 */
export function printReport({ url, report }: CheckedSystem, paint: Paint): string {
  const facts = alignCells(report.facts, {
    paint: (cell, column) => (column === 0 ? paint('dim', cell) : cell),
    longest: LONGEST_FACT,
  });
  const list = (title: string, mark: string, items: readonly string[]): string[] => [
    '',
    paint('bold', title),
    ...(items.length > 0 ? items : ['nothing']).map((item) => `  ${mark} ${toPrintable(item)}`),
  ];
  return [
    paint('bold', toPrintable(url)),
    '',
    ...facts.map((fact) => `  ${fact}`),
    ...list('Hindsight would record', paint('green', '+'), report.recordable),
    ...list('It could not record', paint('yellow', '-'), report.lacking),
    '',
  ].join('\n');
}
