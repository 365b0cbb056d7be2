import type { ComponentChildren } from 'preact';
import { linkTo, zoneOf, type View } from '../data/view.js';
import { moment } from '../data/words.js';
import { Search } from './search.js';

const LINKS = [
  ['/ide', 'Ask'],
  ['/docs', 'REST and files'],
  ['/metrics', 'Metrics'],
] as const;
/** Draws the parts that all pages have: name, search, the time machine, the zone, and the foot. */
export function Shell({ view, children }: { readonly view: View; readonly children: ComponentChildren }) {
  const version = document.querySelector('meta[name=version]')?.getAttribute('content');
  return (
    <>
      <header>
        <div class="top">
          <a class="name" href={linkTo([])}>
            Hindsight
          </a>
          <Search />
          <label>
            Times in{' '}
            <select
              value={view.get('zone')}
              onChange={(event) => view.set({ zone: event.currentTarget.value })}
            >
              <option value="">UTC</option>
              <option value="mine">mine ({zoneOf({ get: () => 'mine' })})</option>
            </select>
          </label>
        </div>
        <TimeMachine view={view} />
      </header>
      <main>{children}</main>
      <footer class="quiet">
        Hindsight {version}
        {LINKS.map(([href, name]) => (
          <a key={href} href={href}>
            {name}
          </a>
        ))}
      </footer>
    </>
  );
}

/** Puts all of a page at a past moment; always visible while on. Its fields are in UTC. */
function TimeMachine({ view }: { readonly view: View }) {
  const isOn = view.get('asOf') !== '' || view.get('knownAt') !== '';
  const field = (name: 'asOf' | 'knownAt', words: string) => (
    <label>
      {words} (UTC){' '}
      <input
        type="datetime-local"
        step="1"
        value={readMoment(view.get(name))}
        onChange={({ currentTarget: { value } }) =>
          view.set({ [name]: value === '' ? '' : new Date(`${value}Z`).toISOString() })
        }
      />
    </label>
  );
  return (
    <details class={`machine ${isOn ? 'on' : ''}`} open={isOn}>
      <summary>{isOn ? `Not now: ${told(view)}` : 'Look at a past moment'}</summary>
      {field('asOf', 'As of')}
      {field('knownAt', 'As known at')}
      {isOn && (
        <button type="button" onClick={() => view.set({ asOf: '', knownAt: '' })}>
          Back to now
        </button>
      )}
    </details>
  );
}

function readMoment(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString().slice(0, 19);
}

function told(view: View): string {
  const parts = [
    ['asOf', 'as of'],
    ['knownAt', 'as known at'],
  ] as const;
  return parts
    .filter(([name]) => view.get(name) !== '')
    .map(([name, words]) => {
      const text = view.get(name);
      return `${words} ${readMoment(text) === '' ? 'no time' : moment(text, zoneOf(view))}`;
    })
    .join(', ');
}
