import type { SubmissionsQuery } from '../data/answers.gen.js';
import { isUsualRange } from '../data/range.js';
import {
  changesOf,
  exportQuery,
  FILTERS,
  filtersOf,
  submissionsQuestion,
  SUBMISSIONS_QUERY,
  submissionsVariables,
} from '../data/submission-list.js';
import { useAnswer } from '../data/use-answer.js';
import type { View } from '../data/view.js';
import { useTitle } from '../frame/title.js';
import { Empty, Skeleton } from '../parts/card.js';
import { CopyAs } from '../parts/copy-as.js';
import { FileLink } from '../parts/file-link.js';
import { ClearFilters, isFiltered } from '../parts/filters.js';
import { ListPages, usePages } from '../parts/list-pages.js';
import { SubmissionFilters } from '../parts/submission-filters.js';
import { SubmissionTable } from '../parts/submission-table.js';

const ROWS = 50;

/** Shows submissions that match filters, newest first, `/submissions`. */
export function SubmissionsPage({ view }: { readonly view: View }) {
  useTitle('Submissions');
  const { openedMs, after, go } = usePages(view);
  const filters = filtersOf(view, openedMs);
  const variables = submissionsVariables(view, filters, ROWS);
  const { answer, error } = useAnswer<SubmissionsQuery>(submissionsQuestion(variables), {
    on: changesOf(filters, after),
  });
  const rows = answer?.submissions.nodes;
  return (
    <>
      <h1>Submissions</h1>
      <SubmissionFilters view={view} />
      {rows === undefined && error === undefined && <Skeleton lines={12} />}
      {rows?.length === 0 && after === '' && <NoRows view={view} />}
      {answer && (rows?.length || after) && (
        <SubmissionTable
          title={after === '' ? 'Newest first' : 'Older submissions'}
          name="Submissions"
          rows={answer.submissions.nodes}
          of={view.get('node') ? 'node' : view.get('chain') ? 'chain' : undefined}
          showsMessages={view.get('message') !== ''}
          none="No older submission."
          actions={
            <div class="list">
              <FileLink isButton path="/export/submissions.csv" query={exportQuery(view, filters)}>
                Download CSV
              </FileLink>
              <CopyAs question={SUBMISSIONS_QUERY} variables={variables} />
            </div>
          }
        >
          <ListPages of="submissions" after={after} page={answer.submissions.pageInfo} go={go} />
        </SubmissionTable>
      )}
    </>
  );
}

function NoRows({ view }: { readonly view: View }) {
  if (isFiltered(view, FILTERS))
    return (
      <Empty title="No submission matches.">
        <ClearFilters view={view} filters={FILTERS} />
      </Empty>
    );
  if (!isUsualRange(view))
    return (
      <Empty title="No submission in this time.">
        <button type="button" onClick={() => view.set({ last: '', from: '', to: '' })}>
          Show all times
        </button>
      </Empty>
    );
  return (
    <Empty title="No submission is recorded yet.">
      Add a node to the settings, or start with{' '}
      <code>hindsight start --node alpha=http://127.0.0.1:26657</code>.
    </Empty>
  );
}
