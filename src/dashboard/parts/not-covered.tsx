import NOT_COVERED from '../data/not-covered.graphql?raw';
import type { NotCoveredQuery, NotCoveredQueryVariables } from '../data/answers.gen.js';
import { useAnswer } from '../data/use-answer.js';
import type { View } from '../data/view.js';
import { count, moment, sentence } from '../data/words.js';
import { IntervalLink } from './interval-link.js';
import { Trouble } from './states.js';
import { Table } from './table.js';

/** So many are shown: the others are found by a closer look. */
const MOST_GAPS = 20;

/** Times in which attempts may have been missed, and why: what is shaded in the charts. */
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
  const { answer, error, answeredMs, again } = useAnswer<NotCoveredQuery>(
    NOT_COVERED,
    JSON.stringify([kind, id, ...names.map((name) => view.get(name))]),
    (): NotCoveredQueryVariables => {
      const { fromMs, toMs } = range();
      const endMs = Math.min(toMs, Date.parse(view.get('asOf')) || toMs);
      const time = { from: new Date(fromMs).toISOString(), to: new Date(endMs).toISOString() };
      return { ...(kind === 'node' ? { node: id } : { chain: id }), ...time, knownAt };
    },
  );
  const gaps = (answer?.coverageGaps ?? []).toReversed();
  const rest = gaps.length - MOST_GAPS;
  return (
    <>
      {error && <Trouble error={error} answeredMs={answeredMs} zone={zone} again={again} />}
      {answer && (
        <Table
          stacks
          caption={`Times in which attempts may have been missed, the newest first${rest > 0 ? `; ${count(rest)} more are not shown` : ''}`}
          none="None: all of this time is covered."
          columns={['From', 'To', 'Node', 'Why']}
          rows={gaps
            .slice(0, MOST_GAPS)
            .map(({ from, to, node, open, reason }) => [
              node === null ? (
                moment(from, zone)
              ) : (
                <IntervalLink node={node} from={from} to={to} zone={zone} />
              ),
              open ? `${moment(to, zone)}, and it goes on` : moment(to, zone),
              <bdi>{node ?? 'no single one'}</bdi>,
              <bdi>{sentence(reason, zone, 300)}</bdi>,
            ])}
        />
      )}
    </>
  );
}
