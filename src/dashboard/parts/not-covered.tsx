import { groupBy } from '../../domain/collections.js';
import { duration } from '../../domain/health/health-rule.js';
import { POLLED_WITHIN_MS } from '../../domain/health/unwatched.js';
import type { NotCoveredQuery, NotCoveredQueryVariables } from '../data/answers.gen.js';
import NOT_COVERED from '../data/not-covered.graphql?raw';
import { nowMs } from '../data/now.js';
import type { Range } from '../data/range.js';
import { useAnswer } from '../data/use-answer.js';
import type { View } from '../data/view.js';
import { count, moment, sentence } from '../data/words.js';
import { IntervalLink } from './interval-link.js';
import { Table } from './table.js';

/** Gaps listed one by one: zooming in shows the others. */
const MOST_GAPS = 20;
/** Start of the reason for time before the first poll; `coverageGaps` gives reasons in words only. */
const NOT_YET = 'Not monitored yet: ';

type Gap = NotCoveredQuery['coverageGaps'][number];

/** Gaps of one node for one reason; the newest first. */
type Group = readonly [newest: Gap, ...older: Gap[]];

/** Times in which attempts may have been missed, and why: the shaded parts of the charts. */
export function NotCovered(given: {
  readonly view: View;
  readonly kind: 'node' | 'chain';
  readonly id: string;
  readonly range: () => Range;
}) {
  const { view, kind, id, range } = given;
  const knownAt = view.get('knownAt') || null;
  const names = ['asOf', 'knownAt', 'from', 'to', 'last'];
  const timeOf = (): Range => {
    const { fromMs, toMs } = range();
    return { fromMs, toMs: Math.min(toMs, nowMs(), Date.parse(view.get('asOf')) || toMs) };
  };
  const shown = timeOf();
  const isToCome = shown.fromMs >= shown.toMs;
  const variables = (): NotCoveredQueryVariables => {
    const { fromMs, toMs } = timeOf();
    const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
    return { ...(kind === 'node' ? { node: id } : { chain: id }), from, to, knownAt };
  };
  const key = JSON.stringify([kind, id, ...names.map((name) => view.get(name))]);
  const { answer } = useAnswer<NotCoveredQuery>(isToCome ? undefined : [NOT_COVERED, key, variables]);
  if (answer === undefined) return null;
  const all = answer.coverageGaps;
  const tail = all.find(isTail);
  const before = all.find(({ reason }) => reason.startsWith(NOT_YET));
  const gaps = all.filter((gap) => gap !== tail && gap !== before).toReversed();
  const groups = groupsOf(gaps);
  const covered =
    tail === undefined
      ? 'No gaps: all of this time is covered.'
      : `No gaps up to the last poll on record, ${moment(tail.from)}.`;
  return (
    <Table
      stacks
      title="Times in which attempts may have been missed"
      none={before === undefined ? covered : beforeInWords(before, shown.toMs)}
      rows={groups}
      columns={[
        { name: 'Reason', cell: ([{ reason }]) => <bdi class="text">{sentence(reason, 300)}</bdi> },
        kind === 'chain' && { name: 'Node', cell: ([{ node }]) => <bdi>{node ?? 'no single node'}</bdi> },
        { name: 'Gaps', isNumber: true, cell: (group) => count(group.length) },
        { name: 'In total', isNumber: true, cell: totalOf },
        { name: 'Newest', cell: ([gap]) => <GapTime gap={gap} /> },
      ]}
    >
      {gaps.length > 0 && before && <p class="quiet">{beforeInWords(before, shown.toMs)}</p>}
      {gaps.length > groups.length && <EachGap gaps={gaps} />}
    </Table>
  );
}

/** Whether the gap only lasts until the next poll is recorded. */
function isTail({ from, to, open }: Gap): boolean {
  return open && Date.parse(to) - Date.parse(from) < POLLED_WITHIN_MS;
}

function groupsOf(gaps: readonly Gap[]): Group[] {
  const alike = groupBy(gaps, ({ node, reason }) => JSON.stringify([node, reason]));
  return [...alike.values()].flatMap(([newest, ...older]) => (newest ? [[newest, ...older] as const] : []));
}

function totalOf(group: Group): string {
  return duration(group.reduce((sum, { from, to }) => sum + Date.parse(to) - Date.parse(from), 0));
}

function beforeInWords({ to, open, reason }: Gap, endMs: number): string {
  if (open) return 'Not monitored yet: no poll was ever answered.';
  return Date.parse(to) < endMs
    ? `Not monitored before ${moment(to)}.`
    : `Not monitored in this time. ${sentence(reason.slice(NOT_YET.length))}`;
}

function GapTime({ gap: { node, from, to, open } }: { readonly gap: Gap }) {
  return (
    <span class="interval">
      {node === null ? moment(from) : <IntervalLink node={node} from={from} to={to} />} –{' '}
      {open ? 'ongoing' : moment(to)}
    </span>
  );
}

function EachGap({ gaps }: { readonly gaps: readonly Gap[] }) {
  const rest = gaps.length - MOST_GAPS;
  return (
    <details>
      <summary>Each gap, newest first</summary>
      <ol class="lines">
        {gaps.slice(0, MOST_GAPS).map((gap) => (
          <li key={`${gap.node} ${gap.from} ${gap.reason}`}>
            <GapTime gap={gap} />
          </li>
        ))}
      </ol>
      {rest > 0 && <p class="quiet">{count(rest)} older gaps: zoom in to see them.</p>}
    </details>
  );
}
