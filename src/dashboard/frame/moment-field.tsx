import { useEffect, useState } from 'preact/hooks';
import { localText, momentsMeant } from '../data/local-time.js';
import { pageZone } from '../data/view.js';
import { moment } from '../data/words.js';
import { DraftInput } from '../parts/draft-input.js';

/** A field for a moment, in the zone of the page's times. A pasted time with its own zone is taken as well. */
export function MomentField(given: {
  readonly name: string;
  /** ISO 8601; an invalid value leaves the field empty. */
  readonly value: string;
  /** The latest moment that is accepted; ms since 1970. All when left out. */
  readonly latestMs?: number;
  /** Called with the moment in ISO 8601; with an empty text after the field was emptied. */
  readonly onSet: (moment: string) => void;
}) {
  const { name, value, latestMs = Infinity, onSet } = given;
  const zone = pageZone();
  const [trouble, setTrouble] = useState('');
  useEffect(() => setTrouble(''), [value]);
  const ms = Date.parse(value);
  const shown = Number.isNaN(ms) ? '' : localText(ms, zone).replace('T', ' ');
  const second = Math.floor(ms / 1000) * 1000;
  const other = momentsMeant(shown, zone).find((at) => at !== second);
  const set = (at: number): void => onSet(new Date(at).toISOString());
  const read = (text: string): void => {
    const moments = momentsMeant(text, zone);
    const [first, last] = [moments.at(0), moments.at(-1)];
    setTrouble('');
    if (text.trim() === '') return onSet('');
    if (first === undefined || last === undefined)
      return setTrouble('Not a time. Examples: 2026-11-24 01:58, 2026-11-24T01:58:03Z');
    if (first <= 0) return setTrouble('This time is before 1970: nothing is recorded of it.');
    if (first > latestMs) return setTrouble('This time is in the future: nothing is known of it yet.');
    // For a time that the clocks show twice: the moment nearer to the previous value. The other one is offered.
    set(Math.abs(last - ms) < Math.abs(first - ms) ? last : first);
  };
  return (
    <>
      <label class="field">
        {name}
        <DraftInput placeholder="2026-11-24 01:58" value={shown} isInvalid={trouble !== ''} onCommit={read} />
      </label>
      {trouble !== '' && (
        <p class="quiet" role="alert">
          {trouble}
        </p>
      )}
      {other !== undefined && (
        <button type="button" onClick={() => set(other)}>
          The clocks show this time twice: use {moment(other)}
        </button>
      )}
    </>
  );
}
