import { toPrintable } from '../../domain/printable-text.js';
import type { ServiceQuery } from '../data/answers.gen.js';
import { zoneOf, type View } from '../data/view.js';

type Chains = ServiceQuery['chains'];

/** The zone of the page's times: the browser's, UTC, or that of a chain. */
export function ZoneField({ view, chains }: { readonly view: View; readonly chains: Chains }) {
  const given = view.get('zone');
  const zones = new Set(['UTC', ...chains.map(({ reportingTimeZone }) => reportingTimeZone)]);
  // The address can name any zone.
  if (zoneOf(view) === given) zones.add(given);
  return (
    <label class="field">
      Times in
      <select
        value={zones.has(given) ? given : ''}
        onChange={(event) => view.set({ zone: event.currentTarget.value })}
      >
        <option value="">the zone of this browser ({zoneOf({ get: () => '' })})</option>
        {[...zones].toSorted().map((zone) => (
          <option key={zone} value={zone}>
            {zone}
            {chainsOf(chains, zone)}
          </option>
        ))}
      </select>
    </label>
  );
}

function chainsOf(chains: Chains, zone: string): string {
  const ids = chains.filter(({ reportingTimeZone }) => reportingTimeZone === zone).map(({ id }) => id);
  if (ids.length === 0) return '';
  return ` (${ids.length > 2 ? `${ids.length} chains` : ids.map((id) => toPrintable(id, 30)).join(', ')})`;
}
