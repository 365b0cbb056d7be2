import { TROUBLED_STATES } from '../../domain/health/trouble.js';
import { INCIDENT_FILTERS } from '../data/incident-list.js';
import type { View } from '../data/view.js';
import { inWords } from '../data/words.js';
import { ClearFilters, Filter, PlaceFilters } from './filters.js';

export function IncidentFilters({
  view,
  canClear,
}: {
  readonly view: View;
  /** False where the page has a button of its own that removes the filters. */
  readonly canClear: boolean;
}) {
  return (
    <div class="tools" role="search" aria-label="Filters of incidents">
      <PlaceFilters view={view} />
      <Filter view={view} name="severity" choices={TROUBLED_STATES.map((state) => [state, inWords(state)])} />
      <Filter
        view={view}
        name="open"
        label="State"
        choices={[
          ['true', 'open'],
          ['false', 'closed'],
        ]}
      />
      {canClear && <ClearFilters view={view} filters={INCIDENT_FILTERS} />}
    </div>
  );
}
