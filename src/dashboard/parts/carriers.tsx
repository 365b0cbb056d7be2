import { toPrintable } from '../../domain/printable-text.js';
import CARRIERS from '../data/carriers.graphql?raw';
import type {
  BlockQuery,
  CarrierFragment,
  CarriersQuery,
  CarriersQueryVariables,
} from '../data/answers.gen.js';
import { useAnswer } from '../data/use-answer.js';
import { linkTo, momentOf, type View } from '../data/view.js';
import { inWords, moment } from '../data/words.js';
import { StatusBadge } from './submission-words.js';
import { Table } from './table.js';

/** Submissions that carried a block: those at its DA heights that are known to have carried it, and those that may have. */
export function Carriers(given: {
  readonly view: View;
  readonly block: BlockQuery['blocks']['nodes'][number];
}) {
  const { view, block } = given;
  const { chainId, height, headerDaHeight, dataDaHeight } = block;
  const waits = headerDaHeight === null || dataDaHeight === null;
  const past = momentOf(view);
  const variables: CarriersQueryVariables = {
    ...past,
    chains: [chainId],
    header: headerDaHeight,
    data: dataDaHeight,
    hasHeader: headerDaHeight !== null,
    hasData: dataDaHeight !== null,
    waits,
    from: block.time,
  };
  const { answer } = useAnswer<CarriersQuery>([CARRIERS, JSON.stringify(variables), () => variables]);
  const found = [...(answer?.header?.nodes ?? []), ...(answer?.data?.nodes ?? [])];
  const rows = [...new Map(found.map((row) => [row.id, row])).values()];
  return (
    <>
      {(!waits || rows.length > 0) && (
        <Rows
          title="Submissions at its DA heights"
          none={answer ? 'No submission is known.' : 'Loading…'}
          rows={rows}
          height={height}
        />
      )}
      {waits && (
        <Rows
          title="Pending: later successes that may carry this block"
          none={answer ? 'No submission succeeded since.' : 'Loading…'}
          rows={answer?.since?.nodes ?? []}
          height={height}
        />
      )}
    </>
  );
}

function Rows(given: {
  readonly title: string;
  readonly none: string;
  readonly rows: readonly CarrierFragment[];
  readonly height: string;
}) {
  const { title, none, rows, height } = given;
  return (
    <Table
      stacks
      title={title}
      none={none}
      rows={rows}
      columns={[
        { name: 'This block', cell: (row) => carries(row, height) },
        {
          name: 'Time',
          cell: ({ id, time }) => <a href={linkTo(['submission', id])}>{moment(time)}</a>,
        },
        { name: 'Node', cell: ({ nodeId }) => <bdi>{toPrintable(nodeId ?? 'no node')}</bdi> },
        { name: 'Kind', cell: ({ kind }) => inWords(kind) },
        { name: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
        { name: 'Evidence', cell: ({ evidence }) => inWords(evidence) },
        { name: 'DA height', isNumber: true, cell: ({ daHeight }) => daHeight },
      ]}
    />
  );
}

function carries({ blocks, countsForChain }: CarrierFragment, height: string): string {
  if (!countsForChain) return 'the same attempt, shown by another node';
  if (blocks.includes(height)) return 'carried';
  return blocks.length === 0 ? 'unknown' : 'not carried';
}
