import { nowMs } from '../data/now.js';
import { rangeOf, RANGES, USUAL_RANGE, zoomedTo } from '../data/range.js';
import type { View } from '../data/view.js';
import { moment } from '../data/words.js';
import { MomentField } from './moment-field.js';

/** Shares of the range by which its two ends move, for readers who do not drag over charts. */
const STEPS = [
  ['← Earlier', -0.5, -0.5],
  ['Later →', 0.5, 0.5],
  ['Closer', 0.25, -0.25],
  ['Wider', -0.5, 0.5],
] as const;

/** Sets the range of the address, and resets all lists of the page to their start. */
export function setRange(view: View, range: Readonly<Record<'from' | 'to' | 'last', string>>): void {
  view.set({ ...range, after: '', lossesAfter: '', blocksAfter: '' });
}

/**
 * Zooms in on a stretch.
 * @param fromMs since 1970
 */
export function zoomTo(view: View, fromMs: number, toMs: number): void {
  setRange(view, { ...zoomedTo(fromMs, toMs), last: '' });
}

/** Controls for the range of a page: lengths up to now, its two ends, and steps from the present range. */
export function TimeRange({ view, zone }: { readonly view: View; readonly zone: string }) {
  const { fromMs, toMs } = rangeOf(view, nowMs());
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString()) as [string, string];
  const isOwn = view.get('from') !== '' || view.get('to') !== '';
  const isTurned = Date.parse(view.get('from')) >= toMs;
  const step = (first: number, second: number): void => {
    const lengthMs = toMs - fromMs;
    // The future is empty: the end stays at the present.
    const end = Math.min(toMs + second * lengthMs, nowMs());
    zoomTo(view, Math.max(1, fromMs + first * lengthMs - (toMs + second * lengthMs - end)), end);
  };
  return (
    <div class="tools" role="group" aria-label="Range">
      {RANGES.map(([name, words]) => (
        <button
          key={name}
          type="button"
          aria-pressed={!isOwn && (view.get('last') || USUAL_RANGE) === name}
          onClick={() => setRange(view, { last: name, from: '', to: '' })}
        >
          {words}
        </button>
      ))}
      <MomentField
        name="From"
        value={from}
        zone={zone}
        onSet={(text) => setRange(view, { from: text, to, last: '' })}
      />
      <MomentField
        name="To"
        value={to}
        zone={zone}
        onSet={(text) => setRange(view, { from, to: text, last: '' })}
      />
      {STEPS.map(([words, first, second]) => (
        <button key={words} type="button" onClick={() => step(first, second)}>
          {words}
        </button>
      ))}
      <span class="quiet" role="status">
        {isTurned && 'From is after To: the range ends at To. '}
        {moment(from, zone)} to {moment(to, zone)}; drag over a chart to zoom in
      </span>
    </div>
  );
}
