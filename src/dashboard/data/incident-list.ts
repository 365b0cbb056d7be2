import type { IncidentListQueryVariables } from './answers.gen.js';
import INCIDENT_LIST from './incident-list.graphql?raw';
import INCIDENT_ROW from './incident-row.graphql?raw';
import { rowRangeOf } from './range.js';
import { momentOf, type ReadonlyView } from './view.js';

export const INCIDENT_LIST_QUERY = INCIDENT_LIST + INCIDENT_ROW;

const ROWS = 50;

/** Parameters of the address that filter incidents, besides the range of the page. */
export const INCIDENT_FILTERS = ['chain', 'node', 'severity', 'open'] as const;

/**
 * The variables for the page of incidents that the address names; incidents of all times if it names no range.
 * @param nowMs the present, ms since 1970
 */
export function incidentVariables(
  view: Pick<ReadonlyView, 'get'>,
  nowMs: number,
): IncidentListQueryVariables {
  const only = (name: string): string[] | null => (view.get(name) === '' ? null : [view.get(name)]);
  const open = view.get('open');
  return {
    chains: only('chain'),
    nodes: only('node'),
    severities: only('severity') as IncidentListQueryVariables['severities'],
    open: open === 'true' || open === 'false' ? open === 'true' : null,
    ...rowRangeOf(view, nowMs),
    ...momentOf(view),
    first: ROWS,
    after: view.get('after') || null,
  };
}

/** The parameters of the file with all incidents that match, not only a page of them. */
export function incidentExport(variables: IncidentListQueryVariables): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...variables, first: null, after: null }))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== null && each !== undefined) query.append(name, String(each));
  return query;
}
