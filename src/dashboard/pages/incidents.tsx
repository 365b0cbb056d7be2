import type { IncidentListQuery } from '../data/answers.gen.js';
import {
  INCIDENT_FILTERS,
  INCIDENT_LIST_QUERY,
  incidentExport,
  incidentVariables,
} from '../data/incident-list.js';
import { isUsualRange } from '../data/range.js';
import { useAnswer } from '../data/use-answer.js';
import { linkTo, type View } from '../data/view.js';
import { useTitle } from '../frame/title.js';
import { Empty, Skeleton } from '../parts/card.js';
import { CopyAs } from '../parts/copy-as.js';
import { FileLink } from '../parts/file-link.js';
import { ClearFilters, isFiltered } from '../parts/filters.js';
import { IncidentFilters } from '../parts/incident-filters.js';
import { IncidentTable } from '../parts/incident-table.js';
import { ListPages, usePages } from '../parts/list-pages.js';

/** Shows incidents that match filters, newest first, `/incidents`. */
export function IncidentsPage({ view }: { readonly view: View }) {
  useTitle('Incidents');
  const { openedMs, after, go } = usePages(view);
  const variables = incidentVariables(view, openedMs);
  const { answer, error } = useAnswer<IncidentListQuery>(
    [INCIDENT_LIST_QUERY, JSON.stringify(variables), () => variables],
    { on: [{ kind: 'IncidentChanged' }] },
  );
  const isEmpty = answer?.incidents.nodes.length === 0 && after === '';
  return (
    <>
      <h1>Incidents</h1>
      <IncidentFilters view={view} canClear={!isEmpty} />
      {answer === undefined && error === undefined && <Skeleton lines={12} />}
      {isEmpty && <NoIncidents view={view} />}
      {answer && !isEmpty && (
        <IncidentTable
          title={after === '' ? 'Newest first' : 'Older incidents'}
          none="No older incident."
          incidents={answer.incidents}
          actions={
            <div class="list">
              <FileLink isButton path="/export/incidents.csv" query={incidentExport(variables)}>
                Download CSV
              </FileLink>
              <CopyAs question={INCIDENT_LIST_QUERY} variables={variables} />
            </div>
          }
        >
          <ListPages of="incidents" after={after} page={answer.incidents.pageInfo} go={go} />
        </IncidentTable>
      )}
    </>
  );
}

function NoIncidents({ view }: { readonly view: View }) {
  const isNarrow = !isUsualRange(view);
  if (!isFiltered(view, INCIDENT_FILTERS) && !isNarrow)
    return (
      <Empty title="No incident is recorded.">
        One begins as soon as a node, its DA submissions or finality has trouble. See the{' '}
        <a href={linkTo([''])}>fleet</a> for the present state, and <a href={linkTo(['alerts'])}>alerts</a>{' '}
        for who is notified.
      </Empty>
    );
  return (
    <Empty title={isNarrow ? 'No incident matches in this time.' : 'No incident matches.'}>
      <div class="tools centred">
        <ClearFilters view={view} filters={INCIDENT_FILTERS} />
        {isNarrow && (
          <button type="button" onClick={() => view.set({ last: '', from: '', to: '', after: '' })}>
            Show all times
          </button>
        )}
      </div>
    </Empty>
  );
}
