import {
  SUBMISSION_EVIDENCES,
  SUBMISSION_KINDS,
  SUBMISSION_STATUSES,
} from '../../domain/submissions/submission-codes.js';
import FEED from '../data/feed.graphql?raw';
import type {
  FeedQuery,
  FeedQueryVariables,
  SubmissionEvidence,
  SubmissionKind,
  SubmissionStatus,
} from '../data/answers.gen.js';
import { useAnswer } from '../data/use-answer.js';
import { linkTo, momentOf, type View } from '../data/view.js';
import { bytes, count, inWords, moment } from '../data/words.js';
import { lossCells, submissionCells } from './feed-cells.js';
import { Trouble } from './states.js';
import { Table } from './table.js';

const CHOICES = {
  status: SUBMISSION_STATUSES,
  kind: SUBMISSION_KINDS,
  evidence: SUBMISSION_EVIDENCES,
} as const;

/** Submissions, gaps and blocks of a node or a chain as tables. The filters are in the address. */
export function Feed(given: {
  readonly view: View;
  readonly kind: 'node' | 'chain';
  readonly id: string;
  readonly zone: string;
  /** Whether the subject may submit, or did so in the range shown; rows of any other time are shown anyway. */
  readonly submits: boolean;
}) {
  const { view, kind, id, zone } = given;
  const names = [
    'asOf',
    'knownAt',
    'from',
    'to',
    'status',
    'kind',
    'evidence',
    'message',
    'after',
    'lossesAfter',
    'blocksAfter',
  ];
  const key = JSON.stringify([kind, id, ...names.map((name) => view.get(name))]);
  const feed = useAnswer<FeedQuery>(FEED, key, () => variablesOf(view, kind, id));
  const { answer, error, answeredMs, again } = feed;
  const { submissions, losses, blocks } = answer ?? {};
  const isFiltered = [...Object.keys(CHOICES), 'message'].some((name) => view.get(name) !== '');
  const submits = given.submits || isFiltered || (submissions?.nodes.length ?? 0) > 0;
  return (
    <>
      {error && <Trouble error={error} answeredMs={answeredMs} zone={zone} again={again} />}
      {submits && <Filters view={view} />}
      {submits && submissions && (
        <>
          <Table
            stacks
            caption="Submissions, the newest first"
            none="No recorded submission matches."
            columns={[
              'Time',
              'Node',
              'Status',
              'Kind',
              'Evidence',
              'DA height',
              'Blobs',
              'Namespace',
              'Bytes',
              'Why',
            ]}
            rows={submissions.nodes.map((row) => submissionCells(row, zone))}
          />
          <Pages view={view} name="after" what="submissions" page={submissions.pageInfo} />
        </>
      )}
      {submits && losses && (
        <>
          <Table
            stacks
            caption={`Gaps: rows that were in the list and never observed${olderOnes(losses)}`}
            none="No gap is recorded."
            columns={['From', 'To', 'Node', 'Kind', 'Lost', 'What happened']}
            rows={losses.nodes.map((loss) => lossCells(loss, zone))}
          />
          <Pages view={view} name="lossesAfter" what="losses" page={losses.pageInfo} />
        </>
      )}
      {blocks && (
        <>
          <Table
            stacks
            caption={`Blocks, the newest first${olderOnes(blocks)}`}
            none="No block is recorded."
            columns={[
              'Height',
              'Time',
              'Node',
              'Transactions',
              'Bytes',
              'DA height of header',
              'DA height of data',
            ]}
            rows={blocks.nodes.map((block) => [
              <a href={linkTo(['block', block.chainId, block.height])}>{block.height}</a>,
              moment(block.time, zone),
              <bdi>{block.nodeId}</bdi>,
              count(block.txCount),
              bytes(block.dataBytesFloat),
              block.headerDaHeight ?? 'waits',
              block.dataDaHeight ?? 'waits',
            ])}
          />
          <Pages view={view} name="blocksAfter" what="blocks" page={blocks.pageInfo} />
        </>
      )}
    </>
  );
}

/** Links to older rows of a table, and back to the newest. The cursor is in the address. */
function Pages(given: {
  readonly view: View;
  readonly name: 'after' | 'lossesAfter' | 'blocksAfter';
  readonly what: string;
  readonly page: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}) {
  const { view, name, what, page } = given;
  if (view.get(name) === '' && !page.hasNextPage) return null;
  return (
    <div class="tools" role="group" aria-label={`Pages of ${what}`}>
      {view.get(name) !== '' && (
        <button type="button" onClick={() => view.set({ [name]: '' })}>
          Newest
        </button>
      )}
      {page.hasNextPage && (
        <button type="button" onClick={() => view.set({ [name]: page.endCursor ?? '' })}>
          Older
        </button>
      )}
    </div>
  );
}

/** The note that a table does not show all rows. */
function olderOnes({ pageInfo }: { readonly pageInfo: { readonly hasNextPage: boolean } }): string {
  return pageInfo.hasNextPage ? '; there are older ones' : '';
}

function variablesOf(view: View, kind: 'node' | 'chain', id: string): FeedQueryVariables {
  const whose = kind === 'node' ? { nodes: [id] } : { chains: [id] };
  const range = { from: view.get('from') || null, to: view.get('to') || null };
  const [status, what, evidence] = [view.get('status'), view.get('kind'), view.get('evidence')];
  return {
    ...momentOf(view),
    losses: { ...whose, ...range },
    blocks: { ...whose, ...range },
    rows: {
      ...whose,
      ...range,
      statuses: status ? [status as SubmissionStatus] : null,
      kinds: what ? [what as SubmissionKind] : null,
      evidence: evidence ? [evidence as SubmissionEvidence] : null,
      message: view.get('message') || null,
    },
    after: view.get('after') || null,
    lossesAfter: view.get('lossesAfter') || null,
    blocksAfter: view.get('blocksAfter') || null,
  };
}

function Filters({ view }: { readonly view: View }) {
  return (
    <div class="tools">
      {Object.entries(CHOICES).map(([name, choices]) => (
        <label key={name}>
          {name}{' '}
          <select
            value={view.get(name)}
            onChange={(event) => view.set({ [name]: event.currentTarget.value, after: '' })}
          >
            <option value="">any</option>
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {inWords(choice)}
              </option>
            ))}
          </select>
        </label>
      ))}
      <label>
        message{' '}
        <input
          type="search"
          maxLength={200}
          value={view.get('message')}
          onChange={(event) => view.set({ message: event.currentTarget.value, after: '' })}
        />
      </label>
    </div>
  );
}
