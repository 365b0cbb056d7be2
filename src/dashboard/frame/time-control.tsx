import { ChevronLeft, ChevronRight, Clock, History, ZoomIn, ZoomOut, type IconNode } from 'lucide';
import { nowMs } from '../data/now.js';
import { isUsualRange, rangeOf, RANGES, setRange, zoomTo } from '../data/range.js';
import type { ServiceQuery } from '../data/answers.gen.js';
import { isPast, type View } from '../data/view.js';
import { moment, shortMoment } from '../data/words.js';
import { Icon } from '../parts/icon.js';
import { MomentField } from './moment-field.js';
import { ZoneField } from './zone-field.js';

/** Parameters that put a page at a past moment, their words, and what they show. */
export type PastParameters = readonly (readonly [name: string, words: string, explained: string])[];
const PAST: PastParameters = [
  ['asOf', 'As of', 'The state at this time, with everything that is known of it today.'],
  ['knownAt', 'As known at', 'Only what had been recorded by this time: what an observer could know then.'],
];

/** Shares of the range by which its two ends move, for readers who do not drag over charts. */
const STEPS: readonly (readonly [words: string, icon: IconNode, first: number, second: number])[] = [
  ['Earlier', ChevronLeft, -0.5, -0.5],
  ['Later', ChevronRight, 0.5, 0.5],
  ['Zoom in', ZoomIn, 0.25, -0.25],
  ['Zoom out', ZoomOut, -0.5, 0.5],
];

/** The one control for the times of a page: its range, a past moment, and the zone. */
export function TimeControl(given: {
  readonly view: View;
  readonly past?: PastParameters | undefined;
  /** The range shown when the address names none, in words; undefined if the page has no range. */
  readonly usualRange: string | undefined;
  readonly chains: ServiceQuery['chains'];
}) {
  const { view, past = PAST, usualRange, chains } = given;
  return (
    <div class="time-control">
      {usualRange !== undefined && (
        <Steps view={view} isBounded={!isUsualRange(view) || usualRange !== 'All time'} />
      )}
      <button type="button" popovertarget="time" aria-label={`Time: ${timeInWords(view, usualRange)}`}>
        <Icon of={isPast(view) ? History : Clock} />
        <span>{timeInWords(view, usualRange)}</span>
      </button>
      <div id="time" class="popover" popover="auto">
        {usualRange !== undefined && <RangeFields view={view} usualRange={usualRange} />}
        <fieldset>
          <legend>Point in time</legend>
          {past.map(([name, words, explained]) => (
            <div key={name}>
              <MomentField
                name={words}
                value={view.get(name)}
                latestMs={nowMs()}
                onSet={(text) => view.set({ [name]: text })}
              />
              <p class="quiet">{explained}</p>
            </div>
          ))}
        </fieldset>
        <fieldset>
          <legend>Time zone</legend>
          <ZoneField view={view} chains={chains} />
        </fieldset>
      </div>
    </div>
  );
}

function timeInWords(view: View, usualRange: string | undefined): string {
  if (usualRange === undefined) return isPast(view) ? 'Past moment' : 'Now';
  const last = RANGES.find(([name]) => name === view.get('last'));
  if (view.get('from') === '' && view.get('to') === '') return last ? `Last ${last[1]}` : usualRange;
  const { fromMs, toMs } = rangeOf(view, nowMs());
  return `${shortMoment(fromMs, nowMs())} – ${shortMoment(toMs, nowMs())}`;
}

function RangeFields(given: { readonly view: View; readonly usualRange: string }) {
  const { view, usualRange } = given;
  const { fromMs, toMs } = rangeOf(view, nowMs());
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  const isOwn = view.get('from') !== '' || view.get('to') !== '';
  const isTurned = Date.parse(view.get('from')) >= toMs;
  return (
    <fieldset>
      <legend>Range</legend>
      <div class="choices">
        <button
          type="button"
          aria-pressed={isUsualRange(view)}
          onClick={() => setRange(view, { last: '', from: '', to: '' })}
        >
          {usualRange}
        </button>
        {RANGES.map(([name, words]) => (
          <button
            key={name}
            type="button"
            aria-pressed={!isOwn && view.get('last') === name}
            onClick={() => setRange(view, { last: name, from: '', to: '' })}
          >
            {words}
          </button>
        ))}
      </div>
      <MomentField name="From" value={from} onSet={(text) => setRange(view, { from: text, to, last: '' })} />
      <MomentField name="To" value={to} onSet={(text) => setRange(view, { from, to: text, last: '' })} />
      {isTurned && <p role="status">From is after To: the range ends at To.</p>}
    </fieldset>
  );
}

function Steps({ view, isBounded }: { readonly view: View; readonly isBounded: boolean }) {
  const step = (first: number, second: number): void => {
    const { fromMs, toMs } = rangeOf(view, nowMs());
    const lengthMs = toMs - fromMs;
    // The future is empty: the end stays at the present.
    const end = Math.min(toMs + second * lengthMs, nowMs());
    zoomTo(view, Math.max(1, fromMs + first * lengthMs - (toMs + second * lengthMs - end)), end);
  };
  const isAtEnd = rangeOf(view, nowMs()).toMs >= nowMs();
  return (
    <div class="steps" role="group" aria-label="Range">
      {STEPS.map(([words, icon, first, second]) => (
        <button
          key={words}
          type="button"
          aria-label={words}
          title={words}
          disabled={!isBounded || (words === 'Later' && isAtEnd)}
          onClick={() => step(first, second)}
        >
          <Icon of={icon} />
        </button>
      ))}
    </div>
  );
}

/** The past moment that the page shows, always visible, with the way back to now. */
export function PastBar({
  view,
  past = PAST,
}: {
  readonly view: View;
  readonly past?: PastParameters | undefined;
}) {
  const set = past.filter(([name]) => view.get(name) !== '');
  if (set.length === 0) return null;
  const inWords = ([name, words]: PastParameters[number]): string => {
    const text = view.get(name);
    return `${words.toLowerCase()} ${Number.isNaN(Date.parse(text)) ? 'no time' : moment(text)}`;
  };
  return (
    <section class="past-bar" aria-label="Past moment">
      <Icon of={History} />
      <span>Not now: {set.map(inWords).join(', ')}</span>
      <button type="button" onClick={() => view.set(Object.fromEntries(past.map(([name]) => [name, ''])))}>
        Back to now
      </button>
    </section>
  );
}
