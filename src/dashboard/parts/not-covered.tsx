import NOT_COVERED from '../data/not-covered.graphql?raw';
import type { NotCoveredQuery, NotCoveredQueryVariables } from '../data/answers.gen.js';
import { POLLED_WITHIN_MS } from '../../domain/health/unwatched.js';
import { nowMs } from '../data/now.js';
import { useAnswer } from '../data/use-answer.js';
import type { View } from '../data/view.js';
import { count, moment, sentence } from '../data/words.js';
import { IntervalLink } from './interval-link.js';
import { Trouble } from './states.js';
import { Table } from './table.js';

/** Most gaps shown: zooming in shows the others. */
const MOST_GAPS = 20;

type Gap = NotCoveredQuery['coverageGaps'][number];

/** Times in which attempts may have been missed, and why: the shaded parts of the charts. */
export function NotCovered(given: {
  readonly view: View;
  readonly kind: 'node' | 'chain';
  readonly id: string;
  readonly zone: string;
  readonly range: () => { readonly fromMs: number; readonly toMs: number };
}) {
  const { view, kind, id, zone, range } = given;
  const knownAt = view.get('knownAt') || null;
  const names = ['asOf', 'knownAt', 'from', 'to', 'last'];
  const timeOf = (): { readonly fromMs: number; readonly toMs: number } => {
    const { fromMs, toMs } = range();
    return { fromMs, toMs: Math.min(toMs, nowMs(), Date.parse(view.get('asOf')) || toMs) };
  };
  const shown = timeOf();
  const isToCome = shown.fromMs >= shown.toMs;
  const { answer, error, answeredMs, again } = useAnswer<NotCoveredQuery>(
    NOT_COVERED,
    isToCome ? undefined : JSON.stringify([kind, id, ...names.map((name) => view.get(name))]),
    (): NotCoveredQueryVariables => {
      const { fromMs, toMs } = timeOf();
      const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
      return { ...(kind === 'node' ? { node: id } : { chain: id }), from, to, knownAt };
    },
  );
  const isTail = ({ from, to, open }: Gap): boolean =>
    open && Date.parse(to) - Date.parse(from) < POLLED_WITHIN_MS;
  const all = answer?.coverageGaps ?? [];
  const tail = all.find(isTail);
  const gaps = all.filter((gap) => !isTail(gap)).toReversed();
  const rest = gaps.length - MOST_GAPS;
  return (
    <>
      {error && <Trouble error={error} answeredMs={answeredMs} zone={zone} again={again} />}
      {answer && (
        <Table
          stacks
          caption={`Times in which attempts may have been missed, the newest first${rest > 0 ? `; ${count(rest)} more are not shown` : ''}`}
          none={
            tail === undefined
              ? 'No gaps: all of this time is covered.'
              : `No gaps up to the last poll on record, ${moment(tail.from, zone)}.`
          }
          columns={['From', 'To', 'Node', 'Why']}
          rows={gaps
            .slice(0, MOST_GAPS)
            .map(({ from, to, node, open, reason }) => [
              node === null ? (
                moment(from, zone)
              ) : (
                <IntervalLink node={node} from={from} to={to} zone={zone} />
              ),
              open ? `ongoing at ${moment(to, zone)}` : moment(to, zone),
              <bdi>{node ?? 'none alone'}</bdi>,
              <bdi>{sentence(reason, zone, 300)}</bdi>,
            ])}
        />
      )}
    </>
  );
}
