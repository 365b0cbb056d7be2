import type { FaultPage, ListedDeadLetter, ListedStream } from '../projections/fault-list.js';
import type { ListedOwner } from '../statistics/roll-up/fault-list.js';
import type { Micros } from '../domain/time.js';
import { isoOf, toJsonText } from './json.js';
import { printTable, type Column } from '../platform/table.js';
import { toSecond } from './moments.js';

/** A page of each list of `hindsight faults`. */
export interface FaultLists {
  readonly events: FaultPage<ListedDeadLetter>;
  readonly streams: FaultPage<ListedStream>;
  readonly owners: FaultPage<ListedOwner>;
}

/** A page of each list as JSON, with the total of each. */
export function faultsToJson({ events, streams, owners }: FaultLists): string {
  const dated = <Row extends { readonly since: Micros }>({ total, rows }: FaultPage<Row>) => ({
    total,
    rows: rows.map((row) => ({ ...row, since: isoOf(row.since) })),
  });
  const { total, rows } = owners;
  const tried = rows.map((row) => ({ ...row, since: isoOf(row.since), triedAt: isoOf(row.triedAt) }));
  return toJsonText({ events: dated(events), streams: dated(streams), owners: { total, rows: tried } });
}

/** Prints a page of the lists that are not empty; one sentence if all are empty. */
export function printFaultLists(
  { events, streams, owners }: FaultLists,
  { page, pageRows }: { readonly page: number; readonly pageRows: number },
): string {
  const longest = Math.max(events.total, streams.total, owners.total);
  if (longest === 0) {
    return 'No dead letters: the read models took every event they have read, and no statistics failed.\n';
  }
  const pages = Math.ceil(longest / pageRows);
  const more = page < pages ? `; --page ${page + 1} shows more` : '';
  return [
    section('Events that a read model skipped', events, EVENT_COLUMNS),
    section('Quarantined streams of a read model', streams, STREAM_COLUMNS),
    section('Nodes and chains whose statistics cannot be computed', owners, OWNER_COLUMNS),
    pages > 1 ? `Page ${page} of ${pages}${more}.\n` : '',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

const EVENT_COLUMNS: readonly Column<ListedDeadLetter>[] = [
  { title: 'read model', read: ({ projection }) => projection },
  { title: 'position', read: ({ position }) => String(position) },
  { title: 'stream', read: ({ stream }) => stream },
  { title: 'type', read: ({ type }) => type },
  { title: 'since', read: ({ since }) => toSecond(since) },
  { title: 'error', read: ({ error }) => error },
];
const STREAM_COLUMNS: readonly Column<ListedStream>[] = [
  { title: 'read model', read: ({ projection }) => projection },
  { title: 'stream', read: ({ stream }) => stream },
  { title: 'since', read: ({ since }) => toSecond(since) },
];
const OWNER_COLUMNS: readonly Column<ListedOwner>[] = [
  { title: 'whose', read: ({ node, chain }) => (node === null ? `chain ${chain}` : `node ${node}`) },
  { title: 'since', read: ({ since }) => toSecond(since) },
  { title: 'last tried', read: ({ triedAt }) => toSecond(triedAt) },
  { title: 'error', read: ({ error }) => error },
];

function section<Row>(
  title: string,
  { total, rows }: FaultPage<Row>,
  columns: readonly Column<Row>[],
): string {
  if (total === 0) return '';
  return `${title}: ${total}\n${rows.length === 0 ? '' : printTable(columns, rows, { indent: '  ' })}`;
}
