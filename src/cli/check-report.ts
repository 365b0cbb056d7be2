import { toPrintable } from '../domain/printable-text.js';
import { nanosToMillis, type Millis, type Nanos } from '../domain/time.js';
import type { SubmissionRow } from '../domain/submissions/submission-row.js';
import { isLacking, type Lacking, type NodeInspection } from '../observe/node/inspect-node.js';
import type { Paint } from './paint.js';
import { alignCells } from './table.js';

/** Limit of UTF-16 units for one line about a node. */
const LONGEST_FACT = 2_000;

export interface CheckReport {
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly recordable: readonly string[];
  readonly lacking: readonly string[];
}

const SHAPES = {
  EV_NODE: 'as the real node (camelCase, base64)',
  SPEC: 'as the specification (snake_case)',
} as const;

/** Describes a poll of a node in words. `now` is the observer's clock. */
export function describeInspection(seen: NodeInspection, now: Millis): CheckReport {
  return { facts: listFacts(seen, now), ...listRecordable(seen) };
}

function listFacts(seen: NodeInspection, now: Millis): CheckReport['facts'] {
  const { description, newestBlock: block } = seen;
  const isBlock = !isLacking(block);
  const nodeNow = now + (seen.clockOffsetMs ?? 0);
  return [
    [
      'Reachable',
      seen.live.statusCode === null ? `no, ${seen.live.detail}` : `yes, in ${seen.live.latencyMs} ms`,
    ],
    ['Live', probeText(seen.live)],
    ['Ready', probeText(seen.ready)],
    ['Status endpoint', statusText(seen)],
    ['Block service', description.servicePrefix ?? 'not found'],
    ['Shape', description.shape ? SHAPES[description.shape] : 'unknown'],
    ['Chain', description.chain ?? 'unknown'],
    ['Head', isBlock ? `${block.header.height}, ${ageText(block.header.timeNs, nodeNow)}` : 'unknown'],
    ['Oldest block', seen.oldest === null ? 'unknown' : String(seen.oldest)],
    ['Included up to', seen.included === null ? 'not reported' : String(seen.included)],
    ['Role', roleText(seen)],
    ['DA monitoring', listText(seen.submissions)],
    ['Newest attempt', isLacking(seen.submissions) ? 'none seen' : attemptText(seen.submissions.newest)],
    ['DA health, as reported', isLacking(seen.claim) ? 'nothing' : (seen.claim.status ?? 'nothing')],
    ['Namespaces', namespaceText(seen)],
    ['Clock', clockText(seen.clockOffsetMs)],
  ];
}

function listRecordable(seen: NodeInspection): Pick<CheckReport, 'recordable' | 'lacking'> {
  const recordable: string[] = [];
  const lacking: string[] = [];
  const { submissions, claim, newestBlock: block } = seen;
  if (seen.live.statusCode !== null) {
    recordable.push('whether it can be reached, is live and ready, and how fast it answers');
  }
  if (isLacking(submissions)) {
    lacking.push(`its DA submissions, because ${whyNoList(submissions, seen)}`);
  } else {
    recordable.push(
      'every DA submission from now on (submissions that already left the list in its memory are gone)',
    );
    if (submissions.count > 0 && !submissions.isPriced) {
      lacking.push(
        'what its submissions cost, because no submission reports a gas price above 0: that needs a price book (hindsight prices set)',
      );
    }
  }
  if (isLacking(block)) {
    lacking.push(`its blocks, because ${block.detail}`);
  } else {
    recordable.push(
      `its blocks from ${seen.oldest ?? 'the oldest it has'} on, each checked, and when they reach the DA layer`,
    );
    if (seen.oldest !== null && seen.oldest > 1n) {
      lacking.push(`blocks before ${seen.oldest}, because the node no longer has them`);
    }
  }
  if (isLacking(claim)) {
    lacking.push(`what it reports of its DA health, because ${claim.detail}`);
  } else {
    recordable.push('what it reports of its DA health, next to what Hindsight concludes');
  }
  if (seen.status?.outcome === 'OK') {
    recordable.push('whether it is catching up');
  } else {
    lacking.push(`whether it is catching up, because ${whyNoStatus(seen)}`);
  }
  return { recordable, lacking };
}

/**
 * A node that syncs only by P2P has no list, whatever its flags are. Flags begin with the name of the services, for example
 * `evnode.v1`.
 */
function whyNoList(list: Lacking, { submitted, description }: NodeInspection): string {
  switch (list.state) {
    case 'DISABLED': {
      const [name = 'evnode'] = description.servicePrefix?.split('.') ?? [];
      const flag = `--${name}.rpc.enable_da_visualization`;
      return submitted !== null
        ? `${list.detail}: start the node with ${flag}`
        : `${list.detail}: watch the aggregator of its chain, started with ${flag}; a node that syncs by P2P alone has no list`;
    }
    case 'NOT_SUPPORTED':
      return `${list.detail}: a newer version has it`;
    case 'NOT_AGGREGATOR':
      return 'it is not an aggregator: watch the aggregator of its chain too';
    default:
      return list.detail;
  }
}

function whyNoStatus({ status }: NodeInspection): string {
  return status
    ? `its status endpoint failed: ${probeText(status)}`
    : 'no status endpoint was given (--status URL)';
}

function probeText({ outcome, statusCode, detail }: NodeInspection['live']): string {
  const code = statusCode === null ? '' : ` (${statusCode})`;
  return outcome === 'OK'
    ? `yes${code}`
    : `${outcome.toLowerCase().replace('_', ' ')}${code}${detail && `, ${detail}`}`;
}

function statusText({ status }: NodeInspection): string {
  if (!status) {
    return 'not polled, no address given';
  }
  const catching = status.catchingUp === null ? '' : status.catchingUp ? ', catching up' : ', caught up';
  return probeText(status) + catching;
}

function roleText({ description }: NodeInspection): string {
  if (description.aggregator === null) {
    return 'not reported';
  }
  return description.aggregator ? 'aggregator' : 'not an aggregator';
}

function listText(list: NodeInspection['submissions']): string {
  if (!isLacking(list)) {
    return `on, ${list.count} attempts in its list`;
  }
  const words: Partial<Record<Lacking['state'], string>> = {
    DISABLED: 'off, or missing at this node',
    NOT_SUPPORTED: 'not in this version',
    NOT_AGGREGATOR: 'on, but this node does not submit',
  };
  return `${words[list.state] ?? 'unusable'}: ${list.detail}`;
}

function attemptText(row: SubmissionRow | null): string {
  if (!row) {
    return 'none yet';
  }
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
  if (header === null) {
    return 'not reported';
  }
  return header === data ? `${header} for headers and data` : `headers ${header}, data ${data ?? 'unknown'}`;
}

/** `now` is the node's clock if the node reports it, because the block's time is by that clock. */
function ageText(time: Nanos, now: Millis): string {
  const seconds = Math.round((now - nanosToMillis(time)) / 1_000);
  if (seconds < 0) {
    return `${-seconds} s ahead of the clock`;
  }
  return seconds < 120 ? `${seconds} s old` : `${Math.round(seconds / 60)} min old`;
}

function clockText(offsetMs: Millis | null): string {
  if (offsetMs === null) {
    return 'the node sends no time';
  }
  const seconds = Math.round(offsetMs / 1_000);
  if (Math.abs(seconds) <= 1) {
    return 'agrees with ours to a second';
  }
  return `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} ours`;
}

/**
 * Prints a report: names in one column, values in the next, then the two lists. The values come from the node and are made
 * printable.
 */
export function printReport(url: string, report: CheckReport, paint: Paint): string {
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
