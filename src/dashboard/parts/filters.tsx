import { toPrintable } from '../../domain/printable-text.js';
import type { PlacesQuery } from '../data/answers.gen.js';
import PLACES from '../data/places.graphql?raw';
import { useAnswer } from '../data/use-answer.js';
import type { View } from '../data/view.js';

const LONGEST_NAME = 60;
/** New nodes and chains are rare. */
const PLACES_EVERY_MS = 300_000;

type FilterChoice = readonly [value: string, words: string];

/** Whether the address has one of these filters. */
export function isFiltered(view: Pick<View, 'get'>, filters: readonly string[]): boolean {
  return filters.some((name) => view.get(name) !== '');
}

/** Removes these filters, and shows the start of the list. */
function clearFilters(view: View, filters: readonly string[]): void {
  view.set({ ...Object.fromEntries(filters.map((name) => [name, ''])), after: '' });
}

/** A filter of a list, in the address. */
export function Filter(given: {
  readonly view: View;
  readonly name: string;
  /** Its label; the name when left out. */
  readonly label?: string;
  readonly choices: readonly FilterChoice[];
}) {
  const { view, name, label = name.charAt(0).toUpperCase() + name.slice(1), choices } = given;
  const chosen = view.get(name);
  // An address can name a value that is not on offer, or not yet.
  const isKnown = chosen === '' || choices.some(([value]) => value === chosen);
  const all = isKnown ? choices : [...choices, [chosen, toPrintable(chosen, LONGEST_NAME)] as const];
  return (
    <label>
      {label}
      <select
        aria-label={label}
        value={chosen}
        onChange={(event) => view.set({ [name]: event.currentTarget.value, after: '' })}
      >
        <option value="">any</option>
        {all.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The filters of a list by chain and node: the nodes on offer are those of the chain. */
export function PlaceFilters({ view }: { readonly view: View }) {
  const { answer } = useAnswer<PlacesQuery>([PLACES, '', () => ({})], { everyMs: PLACES_EVERY_MS });
  const chain = view.get('chain');
  const nodes = (answer?.nodes ?? []).filter((node) => chain === '' || node.chain === chain);
  const idOf = ({ id }: { readonly id: string }): FilterChoice => [id, toPrintable(id, LONGEST_NAME)];
  return (
    <>
      <Filter view={view} name="chain" choices={(answer?.chains ?? []).map(idOf)} />
      <Filter view={view} name="node" choices={nodes.map(idOf)} />
    </>
  );
}

/** A button that removes these filters; absent where there are none. */
export function ClearFilters({
  view,
  filters,
}: {
  readonly view: View;
  readonly filters: readonly string[];
}) {
  if (!isFiltered(view, filters)) return null;
  return (
    <button type="button" onClick={() => clearFilters(view, filters)}>
      Clear filters
    </button>
  );
}
