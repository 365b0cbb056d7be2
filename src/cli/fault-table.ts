import { microsToMillis, type Micros } from '../domain/time.js';
import type { FaultPage, ListedFault, ListedStream } from '../projections/fault-list.js';
import type { ListedSubject } from '../statistics/roll-up/fault-list.js';
import { alignColumns } from './align-columns.js';

/** What `hindsight faults` prints: a page of each list. */
export interface FaultLists {
  readonly events: FaultPage<ListedFault>;
  readonly streams: FaultPage<ListedStream>;
  readonly subjects: FaultPage<ListedSubject>;
}

/** A page of the lists that are not empty; one sentence when all are. */
export function printFaultLists(
  { events, streams, subjects }: FaultLists,
  { page, pageRows }: { readonly page: number; readonly pageRows: number },
): string {
  const longest = Math.max(events.total, streams.total, subjects.total);
  if (longest === 0) {
    return 'Nothing is set aside: the read models took every event they have read, and no statistics failed.\n';
  }
  const pages = Math.ceil(longest / pageRows);
  const more = page < pages ? `; --page ${page + 1} shows more` : '';
  return [
    section('Events that a read model goes on without', events, EVENT_HEAD, toEventCells),
    section('Streams that a read model goes on without', streams, STREAM_HEAD, toStreamCells),
    section('Nodes and chains whose statistics cannot be computed', subjects, SUBJECT_HEAD, toSubjectCells),
    pages > 1 ? `Page ${page} of ${pages}${more}.\n` : '',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

const EVENT_HEAD = ['read model', 'position', 'stream', 'type', 'since', 'error'];
const STREAM_HEAD = ['read model', 'stream', 'since'];
const SUBJECT_HEAD = ['whose', 'since', 'last tried', 'error'];

function toEventCells({ projection, position, stream, type, since, error }: ListedFault): string[] {
  return [projection, String(position), stream, type, time(since), error];
}

function toStreamCells({ projection, stream, since }: ListedStream): string[] {
  return [projection, stream, time(since)];
}

function toSubjectCells({ node, chain, since, triedAt, error }: ListedSubject): string[] {
  const whose = node === null ? `chain ${chain}` : `node ${node}`;
  return [whose, time(since), time(triedAt), error];
}

function section<Row>(
  title: string,
  { total, rows }: FaultPage<Row>,
  head: readonly string[],
  toCells: (row: Row) => string[],
): string {
  if (total === 0) return '';
  const lines = rows.length === 0 ? [] : alignColumns([head, ...rows.map(toCells)]);
  return [`${title}: ${total}`, ...lines.map((line) => `  ${line}`)].join('\n') + '\n';
}

function time(at: Micros): string {
  return new Date(microsToMillis(at)).toISOString().replace(/\.\d+Z$/, 'Z');
}
