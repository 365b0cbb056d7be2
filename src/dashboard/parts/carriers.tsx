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
import { Trouble } from './states.js';
import { StatusBadge } from './submission-words.js';
import { Table } from './table.js';

/** Submissions that carried a block: those at its DA heights that are known to have carried it, and those that may have. */
export function Carriers(given: {
  readonly view: View;
  readonly zone: string;
  readonly block: BlockQuery['blocks']['nodes'][number];
}) {
  const { view, zone, block } = given;
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
  const { answer, error, answeredMs, again } = useAnswer<CarriersQuery>(
    CARRIERS,
    JSON.stringify(variables),
    () => variables,
  );
  const found = [...(answer?.header?.nodes ?? []), ...(answer?.data?.nodes ?? [])];
  const rows = [...new Map(found.map((row) => [row.id, row])).values()];
  return (
    <>
      {error && <Trouble error={error} answeredMs={answeredMs} zone={zone} again={again} />}
      {(!waits || rows.length > 0) && (
        <Rows
          caption="Submissions at its DA heights"
          none={answer ? 'No submission is known.' : 'Loading…'}
          rows={rows}
          height={height}
          zone={zone}
        />
      )}
      {waits && (
        <Rows
          caption="Waiting. Later successes that no block confirms yet: one of them may carry this block"
          none={answer ? 'No submission succeeded since.' : 'Loading…'}
          rows={answer?.since?.nodes ?? []}
          height={height}
          zone={zone}
        />
      )}
    </>
  );
}

function Rows(given: {
  readonly caption: string;
  readonly none: string;
  readonly rows: readonly CarrierFragment[];
  readonly height: string;
  readonly zone: string;
}) {
  const { caption, none, rows, height, zone } = given;
  return (
    <Table
      stacks
      caption={caption}
      none={none}
      columns={['Time', 'Node', 'Kind', 'Outcome', 'DA height', 'Evidence', 'This block']}
      rows={rows.map((row) => [
        <a href={linkTo(['submission', row.id])}>{moment(row.time, zone)}</a>,
        <bdi>{row.nodeId ?? 'the chain'}</bdi>,
        inWords(row.kind),
        <StatusBadge status={row.status} />,
        row.daHeight ?? 'none',
        inWords(row.evidence),
        carries(row, height),
      ])}
    />
  );
}

function carries({ blocks, countsForChain }: CarrierFragment, height: string): string {
  if (!countsForChain) return 'the same attempt, as another node showed it';
  if (blocks.includes(height)) return 'carried';
  return blocks.length === 0 ? 'not known' : 'not carried';
}
