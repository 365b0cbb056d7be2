import AROUND from '../data/around.graphql?raw';
import type { AroundQuery, AroundQueryVariables } from '../data/answers.gen.js';
import { useAnswer } from '../data/use-answer.js';
import { linkTo, momentOf, type View } from '../data/view.js';
import { inWords, moment, sentence } from '../data/words.js';
import { Card, Skeleton } from './card.js';
import { Table } from './table.js';
import { Timeline, type Lane, type Mark } from './timeline.js';

/** Time shown before and after a moment, in ms: five minutes in total. */
const MARGIN_MS = 150_000;

/** Each block of a chain once: several nodes can show the same block. */
function oncePerHeight(blocks: AroundQuery['blocks']['nodes']): AroundQuery['blocks']['nodes'] {
  return [...new Map(blocks.map((block) => [block.height, block])).values()];
}

/** Shows what happened in the five minutes around a moment, on a timeline and as a table. */
export function Around(given: {
  readonly view: View;
  readonly atMs: number;
  /** A node, and its chain if known. */
  readonly node: string | null;
  readonly chain: string | null;
}) {
  const { view, atMs, node, chain } = given;
  const [fromMs, toMs] = [atMs - MARGIN_MS, atMs + MARGIN_MS];
  const past = momentOf(view);
  const { answer } = useAnswer<AroundQuery>([
    AROUND,
    JSON.stringify([node, chain, atMs, past]),
    (): AroundQueryVariables => {
      const time = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
      const whose = node === null ? { chains: chain === null ? [] : [chain] } : { nodes: [node] };
      const rows = { ...whose, ...time };
      return {
        ...past,
        ...time,
        rows,
        blocks: rows,
        losses: rows,
        node: node ?? '',
        hasNode: node !== null,
      };
    },
  ]);

  return (
    <Card title="Five minutes around this moment">
      {answer === undefined ? (
        <Skeleton />
      ) : (
        <>
          <Timeline
            label={`Events of these five minutes at ${node ?? chain ?? 'this moment'}; the table below shows the same.`}
            fromMs={fromMs}
            toMs={toMs}
            atMs={atMs}
            lanes={lanesOf(answer)}
          />
          {(answer.submissions.pageInfo.hasNextPage || answer.blocks.pageInfo.hasNextPage) && (
            <p class="quiet">The last rows of these five minutes are not shown: too many.</p>
          )}
          <Rows answer={answer} />
        </>
      )}
    </Card>
  );
}

function lanesOf({ submissions, blocks, losses, healthHistory = [], now }: AroundQuery): Lane[] {
  const sent = submissions.nodes.filter(({ countsForChain }) => countsForChain);
  const rowsOf = (kinds: readonly string[]): Mark[] =>
    sent
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ id, time, status, evidence }) => ({
        fromMs: Date.parse(time),
        look: status === 'SUCCESS' ? 'HEALTHY' : 'CRITICAL',
        title: `${moment(time)}: ${inWords(status)}, ${inWords(evidence)}`,
        href: linkTo(['submission', id]),
      }));
  const lanes: Lane[] = [
    {
      name: 'DA health',
      marks: (healthHistory ?? []).map(({ from, to, state, reason }) => ({
        fromMs: Date.parse(from),
        toMs: Date.parse(to ?? now),
        look: state,
        title: `${state.toLowerCase()} from ${moment(from)}: ${sentence(reason)}`,
      })),
    },
    { name: 'Headers', marks: rowsOf(['HEADER']) },
    { name: 'Data', marks: rowsOf(['DATA']) },
    { name: 'Other rows', marks: rowsOf(['MIXED', 'UNKNOWN']) },
    {
      name: 'Blocks',
      marks: oncePerHeight(blocks.nodes).map(({ chainId, height, time, headerDaHeight, dataDaHeight }) => ({
        fromMs: Date.parse(time),
        look: headerDaHeight !== null && dataDaHeight !== null ? 'PLAIN' : 'WARNING',
        title: `Block ${height}, ${moment(time)}`,
        href: linkTo(['block', chainId, height]),
      })),
    },
    {
      name: 'Gaps',
      marks: losses.nodes.map(({ from, to, explanation }) => ({
        fromMs: Date.parse(from ?? to),
        toMs: Date.parse(to),
        look: 'UNKNOWN',
        title: sentence(explanation),
      })),
    },
  ];
  return lanes.filter(({ marks }) => marks.length > 0);
}

/** A submission or a block, in words. */
interface Happened {
  readonly time: string;
  readonly what: string;
  readonly href: string;
  readonly how: string;
}

function Rows({ answer }: { readonly answer: AroundQuery }) {
  const { submissions, blocks } = answer;
  const rows: Happened[] = [
    ...submissions.nodes.map(({ id, time, status, kind, evidence }) => ({
      time,
      what: 'Submission',
      href: linkTo(['submission', id]),
      how: `${inWords(status)}, ${inWords(kind)}, ${inWords(evidence)}`,
    })),
    ...oncePerHeight(blocks.nodes).map(({ chainId, height, time, headerDaHeight, dataDaHeight }) => ({
      time,
      what: `Block ${height}`,
      href: linkTo(['block', chainId, height]),
      how: `header ${headerDaHeight ?? 'pending'}, data ${dataDaHeight ?? 'pending'}`,
    })),
  ].toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
  return (
    <details>
      <summary>As a table: {rows.length} rows</summary>
      <Table
        title="In order of time"
        none="Nothing is recorded for these five minutes."
        rows={rows}
        columns={[
          { name: 'Time', cell: ({ time }) => moment(time) },
          { name: 'Event', cell: ({ what, href }) => <a href={href}>{what}</a> },
          { name: 'Details', cell: ({ how }) => how },
        ]}
      />
    </details>
  );
}
