import SUBMISSION from '../data/submission.graphql?raw';
import { toPrintable } from '../../domain/printable-text.js';
import type { AttemptFragment, SubmissionQuery, SubmissionQueryVariables } from '../data/answers.gen.js';
import { useAnswer } from '../data/use-answer.js';
import { idOf, linkTo, momentOf, zoneOf, type View } from '../data/view.js';
import { inWords, moment } from '../data/words.js';
import { Around } from '../parts/around.js';
import { CopyAs } from '../parts/copy-as.js';
import { StateBadge } from '../parts/state-badge.js';
import { Trouble, useDrawn } from '../parts/states.js';
import { SubmissionFacts } from '../parts/submission-facts.js';
import { EVIDENCE_WORDS, StatusBadge } from '../parts/submission-words.js';
import { Table } from '../parts/table.js';

/** The row as sent has the whole message. */
const LONGEST_MESSAGE = 600;

type Submission = NonNullable<SubmissionQuery['submission']>;

/** Shows everything known of one submission, `/submission/{id}`. */
export function SubmissionPage({ view }: { readonly view: View }) {
  const [past, zone, id] = [momentOf(view), zoneOf(view), idOf(view.path)];
  const variables: SubmissionQueryVariables = { id, ...past };
  const key = JSON.stringify([id, past]);
  const { answer, error, answeredMs, again } = useAnswer<SubmissionQuery>(SUBMISSION, key, () => variables);
  const submission = answer?.submission;
  useDrawn(submission === null || error !== undefined, `Submission ${id}`);
  return (
    <>
      <h1 class="verdict">
        <small>Submission</small> <bdi>{toPrintable(id)}</bdi>
      </h1>
      {error && <Trouble error={error} answeredMs={answeredMs} zone={zone} again={again} />}
      {submission === null && (
        <p class="panel">
          No submission of this name is known at this moment. <a href={linkTo([])}>To the fleet</a>
        </p>
      )}
      {answer && submission && (
        <>
          <Outcome submission={submission} />
          <Neighbours submission={submission} />
          <SubmissionFacts submission={submission} zone={zone} />
          <Attempts submission={submission} zone={zone} />
          <Around
            view={view}
            zone={zone}
            atMs={Date.parse(submission.time)}
            node={submission.nodeId}
            chain={submission.chain}
          />
          <AsSent submission={submission} />
          <CopyAs question={SUBMISSION} variables={variables} answer={answer.submission ?? {}} />
        </>
      )}
    </>
  );
}

/** How it ended, what that means, and what to do. */
function Outcome({ submission }: { readonly submission: Submission }) {
  const { status, evidence, kind, cause, message, possibleAttempts, countsForChain, withdrawn } = submission;
  return (
    <section class="panel">
      <div class="states">
        <StatusBadge status={status} />
        <StateBadge name={inWords(evidence)} state={evidence === 'CONFIRMED' ? 'HEALTHY' : undefined} bare />
        <StateBadge name={inWords(kind)} state={undefined} bare />
      </div>
      <p>
        {EVIDENCE_WORDS[evidence]}
        {possibleAttempts !== null && ` Possible attempts: ${possibleAttempts}.`}
        {withdrawn && ' It was proven earlier, but is not proven now.'}
        {!countsForChain &&
          ' Another node showed the same attempt, and the row of that node counts for the chain.'}
      </p>
      {cause !== null && (
        <p>
          <strong>{cause.title}</strong> <bdi>{toPrintable(message ?? '', LONGEST_MESSAGE)}</bdi>
        </p>
      )}
      {cause !== null && (
        <p>
          <strong>What to do:</strong> {cause.remedy}
        </p>
      )}
    </section>
  );
}

function Neighbours({
  submission: { chain, nodeId, time, previous, next },
}: {
  readonly submission: Submission;
}) {
  const range = {
    from: new Date(Date.parse(time) - 1_800_000).toISOString(),
    to: new Date(Date.parse(time) + 1_800_000).toISOString(),
  };
  return (
    <nav class="tools" aria-label="Related pages">
      {previous && <a href={linkTo(['submission', previous.id])}>Previous row</a>}
      {next && <a href={linkTo(['submission', next.id])}>Next row</a>}
      {nodeId !== null && (
        <a href={linkTo(['node', nodeId], range)}>
          This hour on node <bdi>{nodeId}</bdi>
        </a>
      )}
      {chain !== null && (
        <a href={linkTo(['chain', chain], range)}>
          This hour on chain <bdi>{chain}</bdi>
        </a>
      )}
    </nav>
  );
}

/** All attempts to post the batch, in order, this submission included. */
function Attempts({ submission, zone }: { readonly submission: Submission; readonly zone: string }) {
  const { attemptsBefore, attemptsAfter } = submission;
  const attempts: readonly AttemptFragment[] = [...attemptsBefore, submission, ...attemptsAfter];
  if (attempts.length === 1) return null;
  return (
    <Table
      stacks
      caption={`Attempts to post this batch: this is number ${attemptsBefore.length + 1} of ${attempts.length}`}
      none=""
      columns={['Time', 'Outcome', 'Evidence', 'DA height', 'Why']}
      rows={attempts.map(({ id, time, status, evidence, daHeight, message, cause }) => [
        id === submission.id ? (
          <strong>{moment(time, zone)} (this one)</strong>
        ) : (
          <a href={linkTo(['submission', id])}>{moment(time, zone)}</a>
        ),
        <StatusBadge status={status} />,
        inWords(evidence),
        daHeight ?? 'none',
        cause && (
          <bdi>
            {cause.title} {toPrintable(message ?? '', LONGEST_MESSAGE)}
          </bdi>
        ),
      ])}
    />
  );
}

function AsSent({ submission: { rawText, blobIds } }: { readonly submission: Submission }) {
  return (
    <section aria-labelledby="sent">
      <h2 id="sent">As sent by the node</h2>
      {rawText === null ? (
        <p class="panel">No node sent this row: blocks prove the submission.</p>
      ) : (
        <pre class="panel" tabIndex={0} aria-label="The row as sent">
          {toPrintable(rawText, rawText.length)}
        </pre>
      )}
      {blobIds.length > 0 && (
        <details class="panel">
          <summary>Blobs by id: {blobIds.length}</summary>
          <ul class="ids">
            {blobIds.map((blobId, index) => (
              <li key={index}>{blobId}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
