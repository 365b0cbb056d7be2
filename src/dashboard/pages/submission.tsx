import { ChevronLeft, ChevronRight } from 'lucide';
import { toPrintable } from '../../domain/printable-text.js';
import type { SubmissionQuery, SubmissionQueryVariables } from '../data/answers.gen.js';
import SUBMISSION from '../data/submission.graphql?raw';
import { useAnswer } from '../data/use-answer.js';
import { idOf, linkTo, momentOf, type View } from '../data/view.js';
import { inWords } from '../data/words.js';
import { useTitle } from '../frame/title.js';
import { Ago } from '../parts/ago.js';
import { Around } from '../parts/around.js';
import { Attempts } from '../parts/attempts.js';
import { Card, Empty, Skeleton } from '../parts/card.js';
import { CopyAs } from '../parts/copy-as.js';
import { CopyButton } from '../parts/copy-button.js';
import { Icon } from '../parts/icon.js';
import { SubmissionFacts, type SubmissionAnswer } from '../parts/submission-facts.js';
import { WithOptions } from '../parts/with-options.js';
import { EVIDENCE_WORDS, StatusBadge } from '../parts/submission-words.js';

/** The row as sent has the whole message. */
const LONGEST_MESSAGE = 600;
const HALF_HOUR_MS = 1_800_000;

/** Shows everything known of one submission, `/submission/{id}`. */
export function SubmissionPage({ view }: { readonly view: View }) {
  const [past, id] = [momentOf(view), idOf(view.path)];
  const variables: SubmissionQueryVariables = { id, ...past };
  const key = JSON.stringify([id, past]);
  const { answer, error } = useAnswer<SubmissionQuery>([SUBMISSION, key, () => variables]);
  const submission = answer?.submission;
  useTitle(`Submission ${id}`);
  return (
    <>
      <h1>
        <small>Submission</small> <bdi>{toPrintable(id)}</bdi>{' '}
        {submission && <StatusBadge status={submission.status} />}
      </h1>
      {answer === undefined && error === undefined && <Skeleton lines={6} />}
      {submission === null && (
        <Empty title="No submission with this id is known at this moment.">
          Go to <a href={linkTo(['submissions'])}>all submissions</a>, or search by id.
        </Empty>
      )}
      {submission && (
        <>
          <Neighbours submission={submission} />
          <Outcome submission={submission} />
          <SubmissionFacts submission={submission} />
          <Attempts submission={submission} />
          <Around
            view={view}
            atMs={Date.parse(submission.time)}
            node={submission.nodeId}
            chain={submission.chain}
          />
          <AsSent submission={submission} />
          <div class="tools">
            <CopyAs question={SUBMISSION} variables={variables} answer={submission} />
          </div>
        </>
      )}
    </>
  );
}

/** How it ended, what that means, and what to do. */
function Outcome({ submission }: { readonly submission: SubmissionAnswer }) {
  const { status, evidence, kind, cause, message, possibleAttempts, countsForChain, withdrawn } = submission;
  return (
    <Card
      title={cause?.title ?? EVIDENCE_WORDS[evidence]}
      state={status === 'SUCCESS' ? (evidence === 'UNREFERENCED' ? 'WARNING' : '') : 'CRITICAL'}
      actions={
        <span class="quiet">
          <Ago at={submission.time} /> · {inWords(kind)} · {inWords(evidence)}
        </span>
      }
    >
      {message !== null && (
        <p>
          <bdi>{toPrintable(message, LONGEST_MESSAGE)}</bdi>
        </p>
      )}
      {cause !== null && (
        <p>
          <strong>What to do:</strong> <WithOptions text={cause.remedy} />
        </p>
      )}
      {cause !== null && evidence !== 'OBSERVED' && <p>{EVIDENCE_WORDS[evidence]}</p>}
      {possibleAttempts !== null && <p>Possible attempts: {possibleAttempts}.</p>}
      {withdrawn && <p>Was proven earlier, but is not proven now.</p>}
      {!countsForChain && (
        <p>Another node showed the same attempt, and the row of that node counts for the chain.</p>
      )}
    </Card>
  );
}

function Neighbours({
  submission: { chain, nodeId, time, previous, next },
}: {
  readonly submission: SubmissionAnswer;
}) {
  const range = {
    from: new Date(Date.parse(time) - HALF_HOUR_MS).toISOString(),
    to: new Date(Date.parse(time) + HALF_HOUR_MS).toISOString(),
  };
  return (
    <nav class="tools" aria-label="Related pages">
      {previous && (
        <a class="button" href={linkTo(['submission', previous.id])}>
          <Icon of={ChevronLeft} />
          Previous row
        </a>
      )}
      {next && (
        <a class="button" href={linkTo(['submission', next.id])}>
          Next row
          <Icon of={ChevronRight} />
        </a>
      )}
      {nodeId !== null && (
        <a href={linkTo(['node', nodeId], range)}>
          This hour on node <bdi>{toPrintable(nodeId)}</bdi>
        </a>
      )}
      {chain !== null && (
        <a href={linkTo(['chain', chain], range)}>
          This hour on chain <bdi>{toPrintable(chain)}</bdi>
        </a>
      )}
      {nodeId !== null && (
        <a href={linkTo(['incidents'], { node: nodeId, ...range })}>Incidents of this hour</a>
      )}
    </nav>
  );
}

function AsSent({ submission: { rawText, blobIds } }: { readonly submission: SubmissionAnswer }) {
  return (
    <Card
      title="As sent by the node"
      actions={rawText !== null && <CopyButton name="Copy row" text={() => rawText} />}
    >
      {rawText === null ? (
        <p class="quiet">No node sent this row: blocks prove the submission.</p>
      ) : (
        <pre tabIndex={0} aria-label="The row as sent">
          {toPrintable(rawText, rawText.length)}
        </pre>
      )}
      {blobIds.length > 0 && (
        <details>
          <summary>Blobs by id: {blobIds.length}</summary>
          <ul class="ids">
            {blobIds.map((blobId, index) => (
              <li key={index}>{blobId}</li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  );
}
