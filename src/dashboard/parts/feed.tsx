import { duration } from '../../domain/health/health-rule.js';
import { toPrintable } from '../../domain/printable-text.js';
import type { FeedQuery, FeedQueryVariables, SubmissionsQuery } from '../data/answers.gen.js';
import FEED from '../data/feed.graphql?raw';
import { changesOf, submissionsQuestion, submissionsVariables } from '../data/submission-list.js';
import { useAnswer } from '../data/use-answer.js';
import { linkTo, momentOf, type View } from '../data/view.js';
import { bytes, count, inWords, moment, sentence } from '../data/words.js';
import { IntervalLink } from './interval-link.js';
import { ListPages } from './list-pages.js';
import { RowTime, SubmissionTable } from './submission-table.js';
import { Table, type Column } from './table.js';

const ROWS = 20;

type Loss = FeedQuery['losses']['nodes'][number];
type Block = FeedQuery['blocks']['nodes'][number];

/** The newest submissions, gaps and blocks of a node or a chain as tables. */
export function Feed(given: {
  readonly view: View;
  readonly kind: 'node' | 'chain';
  readonly id: string;
  /** Whether the node or chain may submit, or did so in the range shown; rows of any other time are shown anyway. */
  readonly submits: boolean;
}) {
  const { view, kind, id } = given;
  const whose = kind === 'node' ? { nodes: [id] } : { chains: [id] };
  // Not `last`: the newest rows are shown even if they are older.
  const range = { from: view.get('from') || null, to: view.get('to') || null };
  const rows = useAnswer<SubmissionsQuery>(
    submissionsQuestion({ ...submissionsVariables(view, { ...whose, ...range }, ROWS), after: null }),
    { on: changesOf(whose, '') },
  ).answer?.submissions;
  const variables: FeedQueryVariables = {
    ...momentOf(view),
    losses: { ...whose, ...range },
    blocks: { ...whose, ...range },
    lossesAfter: view.get('lossesAfter') || null,
    blocksAfter: view.get('blocksAfter') || null,
  };
  const { answer } = useAnswer<FeedQuery>([FEED, JSON.stringify(variables), () => variables]);
  const submits = given.submits || (rows?.nodes.length ?? 0) > 0;
  return (
    <>
      {submits && rows && (
        <SubmissionTable
          title="Submissions"
          of={kind}
          rows={rows.nodes}
          none="No submission is recorded."
          actions={
            <a href={linkTo(['submissions'], { [kind]: id })}>
              All submissions of <bdi>{toPrintable(id)}</bdi>
            </a>
          }
        />
      )}
      {submits && answer && <Losses view={view} kind={kind} losses={answer.losses} />}
      {answer && <Blocks view={view} kind={kind} blocks={answer.blocks} />}
    </>
  );
}

interface ListProps {
  readonly view: View;
  readonly kind: 'node' | 'chain';
}

/** Nothing without gaps: times that are not covered, above, then say so. */
function Losses({ view, kind, losses }: ListProps & { readonly losses: FeedQuery['losses'] }) {
  const after = view.get('lossesAfter');
  if (losses.nodes.length === 0 && after === '') return null;
  const columns: (Column<Loss> | false)[] = [
    {
      name: 'From',
      cell: ({ nodeId, from, to }) =>
        from === null ? 'before the first poll' : <IntervalLink node={nodeId} from={from} to={to} />,
    },
    {
      name: 'Lasted',
      cell: ({ from, to, open }) =>
        open ? 'ongoing' : from && <span title={`up to ${moment(to)}`}>{lengthOf(from, to)}</span>,
    },
    kind === 'chain' && { name: 'Node', cell: ({ nodeId }) => <bdi>{nodeId}</bdi> },
    { name: 'Kind', cell: ({ kind: what }) => inWords(what) },
    { name: 'Lost', isNumber: true, cell: lostOf },
    {
      name: 'Explanation',
      cell: ({ explanation }) => <span class="text">{sentence(explanation)}</span>,
    },
  ];
  return (
    <Table stacks title="Gaps in the record" none="No older gap." rows={losses.nodes} columns={columns}>
      <ListPages
        of="losses"
        after={after}
        page={losses.pageInfo}
        go={(lossesAfter) => view.set({ lossesAfter })}
      />
    </Table>
  );
}

function lengthOf(from: string, to: string): string {
  return duration(Date.parse(to) - Date.parse(from));
}

function lostOf({ minLost, maxLost, likelyLost }: Loss): string {
  const most = maxLost === null ? ' or more' : maxLost === minLost ? '' : ` to ${maxLost}`;
  return `${minLost}${most}${likelyLost === null ? '' : `, likely ${likelyLost}`}`;
}

function Blocks({ view, kind, blocks }: ListProps & { readonly blocks: FeedQuery['blocks'] }) {
  const columns: (Column<Block> | false)[] = [
    {
      name: 'Height',
      cell: ({ chainId, height }) => <a href={linkTo(['block', chainId, height])}>{height}</a>,
    },
    { name: 'Time', cell: ({ time }) => <RowTime at={time} /> },
    kind === 'chain' && { name: 'Node', cell: ({ nodeId }) => <bdi>{nodeId}</bdi> },
    { name: 'Transactions', isNumber: true, cell: ({ txCount }) => count(txCount) },
    { name: 'Bytes', isNumber: true, cell: ({ dataBytesFloat }) => bytes(dataBytesFloat) },
    {
      name: 'Header at DA height',
      isNumber: true,
      cell: ({ headerDaHeight }) => headerDaHeight ?? 'pending',
    },
    { name: 'Data at DA height', isNumber: true, cell: ({ dataDaHeight }) => dataDaHeight ?? 'pending' },
  ];
  return (
    <div class="flows">
      <Table stacks title="Blocks" none="No block is recorded." rows={blocks.nodes} columns={columns}>
        <ListPages
          of="blocks"
          after={view.get('blocksAfter')}
          page={blocks.pageInfo}
          go={(blocksAfter) => view.set({ blocksAfter })}
        />
      </Table>
    </div>
  );
}
