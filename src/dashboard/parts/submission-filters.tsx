import { CHOICES, FILTERS } from '../data/submission-list.js';
import type { View } from '../data/view.js';
import { inWords } from '../data/words.js';
import { DraftInput } from './draft-input.js';
import { ClearFilters, Filter, PlaceFilters } from './filters.js';

export function SubmissionFilters({ view }: { readonly view: View }) {
  return (
    <div class="tools filters" role="search" aria-label="Filters of submissions">
      <PlaceFilters view={view} />
      {Object.entries(CHOICES).map(([name, choices]) => (
        <Filter
          key={name}
          view={view}
          name={name}
          choices={choices.map((choice) => [choice, inWords(choice)])}
        />
      ))}
      <label>
        Message
        <DraftInput
          placeholder="Text of the message"
          value={view.get('message')}
          onCommit={(message) => view.set({ message, after: '' })}
        />
      </label>
      <ClearFilters view={view} filters={FILTERS} />
    </div>
  );
}
