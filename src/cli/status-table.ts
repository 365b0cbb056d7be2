import { isJudgedByDa } from '../domain/health/judged-by-da.js';
import type { CalendarWork, ServiceStatus } from '../api/own-health/running.query.js';
import type { Readiness } from '../api/own-health/readiness.js';
import type { LoopsSummary } from '../platform/loops/loop-summary.js';
import type { QueueState } from '../platform/queues/job-queue.js';
import { duration } from '../domain/health/health-rule.js';
import { formatBytes } from '../platform/bytes.js';
import { alignCells } from '../platform/table.js';

/** A node from GraphQL, with its present health. */
export interface NodeSummary {
  readonly id: string;
  readonly chain: string | null;
  readonly head: string | null;
  readonly pending: string | null;
  /** No longer in the settings. */
  readonly retired: boolean;
  /** Whether it submits; null while unknown. */
  readonly aggregator: boolean | null;
  readonly da: { readonly state: string; readonly rule: string; readonly reason: string } | null;
  readonly node: { readonly state: string; readonly reason: string } | null;
}

/** Lists have at most so many rows. */
export const MOST_NODES = 50;

/**
 * Prints the state of a service as tables for people.
 * @param nodes its nodes, or the reason why they are missing
 * @param systems sections about the systems behind the nodes
 */
export function printStatus(
  status: ServiceStatus,
  nodes: readonly NodeSummary[] | string = [],
  systems: readonly string[] = [],
): string {
  const sections = [
    section('Service', listFacts(status)),
    section('Disk', toDisk(status.disk)),
    ...(typeof nodes === 'string' ? [`Nodes: unknown (${nodes})\n`] : printNodes(nodes)),
    ...systems,
    ...(status.loops ? printLoops(status.loops) : []),
    section('Calendar', toCalendar(status.calendar)),
    ...(status.queue ? printQueue(status.queue) : []),
    section('Read models', toReadModels(status.projections)),
  ];
  return sections.filter((part) => part !== '').join('\n');
}

function listFacts(status: ServiceStatus): string[][] {
  const { logPosition, lastRecordedSeconds, observing, statisticsBehindSeconds } = status;
  const facts: [string, string | undefined][] = [
    ['ready', status.ready ? 'yes' : 'no'],
    ['reason', status.reason],
    ...(status.degraded ?? []).map((sentence): [string, string] => ['degraded', sentence]),
    ['database', status.database],
    ['observing', observing],
    ['log position', logPosition],
    ['last recorded', lastRecordedSeconds === undefined ? undefined : ago(lastRecordedSeconds)],
    [
      'statistics',
      statisticsBehindSeconds === undefined ? undefined : `${length(statisticsBehindSeconds)} behind`,
    ],
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

const KIND_HEAD = ['kind', 'loops', 'asleep', 'working', 'failing', 'late', 'last run', 'next run'];
const LOOP_HEAD = ['name', 'state', 'for', 'last run', 'next run', 'problem'];

/** Totals add nothing if all loops are listed. */
function printLoops({ total, kinds, listed, unlisted }: LoopsSummary): string[] {
  const rows = listed.map(({ name, state, stateSeconds, lastSeconds, nextSeconds, error, late }) => [
    name,
    state,
    length(stateSeconds),
    lastSeconds === undefined ? 'none yet' : ago(lastSeconds),
    nextSeconds === undefined ? '' : soon(nextSeconds),
    error ?? (late ? 'late' : ''),
  ]);
  if (listed.length === total) return [section(`Loops: ${total}`, rows, LOOP_HEAD)];
  const sums = kinds.map(({ kind, lastSeconds, nextSeconds, ...counts }) => [
    kind,
    ...[counts.loops, counts.asleep, counts.working, counts.failing, counts.late].map(String),
    lastSeconds === undefined ? 'none yet' : ago(lastSeconds),
    nextSeconds === undefined ? '' : soon(nextSeconds),
  ]);
  const isNumber = [false, true, true, true, true, true];
  const more = unlisted > 0 ? `, and ${unlisted} more` : '';
  return [
    section(`Loops: ${total}`, sums, KIND_HEAD, isNumber),
    section(`Loops that fail or are late: ${listed.length}${more}`, rows, LOOP_HEAD),
  ];
}

/** A guess over a longer time is worthless. */
const FAR_OFF_DAYS = 3_650;

function toDisk(disk: Readiness['disk']): string[][] {
  if (disk === undefined) return [];
  const bytes = (count: number): string => formatBytes(BigInt(count));
  const { log, readModels, free, growth, daysLeft } = disk;
  return [
    ['log', bytes(log)],
    ['read models', bytes(readModels)],
    ['growth per day', growth === undefined ? 'not known yet' : bytes(growth)],
    ['free', free === undefined ? 'unknown' : bytes(free)],
    ...(daysLeft === undefined
      ? []
      : [['full in', daysLeft > FAR_OFF_DAYS ? 'more than ten years' : `${daysLeft} d`]]),
  ];
}

const NODE_HEAD = ['node', 'chain', 'DA', 'node is', 'head', 'pending', 'why'];

/** Unhealthy nodes come first; at most {@link MOST_NODES} are listed. Nodes that are no longer monitored are only counted. */
function printNodes(all: readonly NodeSummary[]): string[] {
  const nodes = all.filter(({ retired }) => !retired);
  const gone = all.length - nodes.length;
  const judged = (summary: NodeSummary) => [summary.node, ...(isJudgedByDa(summary) ? [summary.da] : [])];
  const isWell = (summary: NodeSummary) => judged(summary).every((of) => of?.state === 'HEALTHY');
  const sorted = nodes.toSorted((a, b) => Number(isWell(a)) - Number(isWell(b)));
  const rows = sorted.slice(0, MOST_NODES).map((each) => {
    const { id, chain, head, pending, da, node } = each;
    const why = judged(each).find((of) => of && of.state !== 'HEALTHY')?.reason ?? '';
    const cells = [id, chain, da?.state, node?.state, head, pending, why];
    return cells.map((cell) => cell ?? '');
  });
  const more = nodes.length > rows.length ? `, and ${nodes.length - rows.length} more` : '';
  const well = nodes.filter(isWell).length;
  const retired = gone === 0 ? '' : `, ${gone} no longer monitored`;
  const title = `Nodes: ${nodes.length}, ${well} healthy${retired}${more && `; ${rows.length} are listed${more}`}`;
  return [section(title, rows, NODE_HEAD, [false, false, false, false, true, true])];
}

function toCalendar(calendar: readonly CalendarWork[] = []): string[][] {
  return calendar.map(({ name, lastSeconds, nextSeconds }) => [
    name,
    lastSeconds === undefined ? 'not since the start' : ago(lastSeconds),
    soon(nextSeconds),
  ]);
}

function printQueue({ backend, state, reason, jobs, schedules, active }: QueueState): string[] {
  const counts = Object.entries(jobs ?? {}).map(([name, count]) => `${count} ${name}`);
  const title = `Job queue in ${backend}: ${[state, ...counts].join(', ')}`;
  const rows = [
    ...(reason === undefined ? [] : [['reason', reason]]),
    ...(schedules ?? []).map(({ name, nextSeconds }) => ['schedule', name, soon(nextSeconds)]),
    ...(active ?? []).map(({ id, name, progress }) => [
      'under way',
      name,
      progress === null ? `job ${id}` : `job ${id}, ${Math.floor(progress * 100)} %`,
    ]),
  ];
  return [rows.length === 0 ? `${title}\n` : section(title, rows)];
}

function toReadModels(projections: Readiness['projections'] = []): string[][] {
  return projections.map(({ name, position, behind, behindSeconds }) => [
    name,
    `at ${position}`,
    behind === '0'
      ? 'up to date'
      : `${behind} ${behind === '1' ? 'event' : 'events'} behind, ${length(behindSeconds)}`,
  ]);
}

/** A title with rows under it; empty without rows. */
function section(
  title: string,
  rows: readonly (readonly string[])[],
  head?: readonly string[],
  isNumber: readonly boolean[] = [],
): string {
  if (rows.length === 0) return '';
  const lines = alignCells(head ? [head, ...rows] : rows, { isNumber });
  return `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function ago(seconds: number): string {
  return `${length(seconds)} ago`;
}

function soon(seconds: number): string {
  return seconds < 0 ? `${length(-seconds)} overdue` : `in ${length(seconds)}`;
}

function length(seconds: number): string {
  return duration(seconds * 1_000);
}
