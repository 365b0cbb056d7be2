import { toPrintable } from '../../domain/printable-text.js';
import type { AttemptFragment } from '../data/answers.gen.js';
import { linkTo } from '../data/view.js';
import { inWords, moment } from '../data/words.js';
import type { SubmissionAnswer } from './submission-facts.js';
import { StatusBadge } from './submission-words.js';
import { Table } from './table.js';

const LONGEST_MESSAGE = 600;
/** The API returns at most this many attempts before a submission. */
const MOST_BEFORE = 30;

/** Attempts in a row that ended alike. */
type Run = readonly [first: AttemptFragment, ...others: AttemptFragment[]];

/** All attempts to post the batch, in order, this submission included; attempts in a row that ended alike are one row. */
export function Attempts({ submission }: { readonly submission: SubmissionAnswer }) {
  const { attemptsBefore, attemptsAfter } = submission;
  const attempts: readonly AttemptFragment[] = [...attemptsBefore, submission, ...attemptsAfter];
  if (attempts.length === 1) return null;
  const number = `number ${attemptsBefore.length + 1}`;
  const place =
    attemptsBefore.length < MOST_BEFORE ? `${number} of ${attempts.length}` : `${number} or later`;
  return (
    <Table
      stacks
      title={`Attempts to post this batch: this is ${place}`}
      none=""
      rows={runsOf(attempts, submission.id)}
      columns={[
        {
          name: 'Time',
          cell: (run) => <RunTime run={run} isThis={run[0].id === submission.id} />,
        },
        { name: 'Attempts', isNumber: true, cell: (run) => run.length },
        { name: 'Status', cell: ([{ status }]) => <StatusBadge status={status} /> },
        { name: 'Evidence', cell: ([{ evidence }]) => inWords(evidence) },
        { name: 'DA height', isNumber: true, cell: ([{ daHeight }]) => daHeight },
        {
          name: 'Cause',
          cell: ([{ cause, message }]) =>
            cause && (
              <span class="text">
                {cause.title} <bdi class="quiet">{toPrintable(message ?? '', LONGEST_MESSAGE)}</bdi>
              </span>
            ),
        },
      ]}
    />
  );
}

function runsOf(attempts: readonly AttemptFragment[], thisId: string): Run[] {
  const runs: [AttemptFragment, ...AttemptFragment[]][] = [];
  const keyOf = ({ id, status, evidence, daHeight, message, cause }: AttemptFragment): string =>
    JSON.stringify([id === thisId, status, evidence, daHeight, message, cause?.title]);
  for (const attempt of attempts) {
    const last = runs.at(-1);
    if (last !== undefined && keyOf(last[0]) === keyOf(attempt)) last.push(attempt);
    else runs.push([attempt]);
  }
  return runs;
}

function RunTime(given: { readonly run: Run; readonly isThis: boolean }) {
  const { run, isThis } = given;
  const [first, last] = [run[0], run.at(-1) ?? run[0]];
  if (isThis) return <strong>{moment(first.time)} (this attempt)</strong>;
  return (
    <span class="interval">
      <a href={linkTo(['submission', first.id])}>{moment(first.time)}</a>
      {last !== first && (
        <>
          {' '}
          – <a href={linkTo(['submission', last.id])}>{moment(last.time)}</a>
        </>
      )}
    </span>
  );
}
