import { localText, momentsOf } from '../data/local-time.js';
import { moment } from '../data/words.js';

/** A field for a moment, in the zone of the page's times. */
export function MomentField(given: {
  readonly name: string;
  /** ISO 8601; an invalid value leaves the field empty. */
  readonly value: string;
  readonly zone: string;
  /** Called with the moment in ISO 8601; with an empty text after the field was emptied. */
  readonly onSet: (moment: string) => void;
}) {
  const { name, value, zone, onSet } = given;
  const ms = Date.parse(value);
  const shown = Number.isNaN(ms) ? '' : localText(ms, zone);
  const second = Math.floor(ms / 1000) * 1000;
  const other = momentsOf(shown, zone).find((at) => at !== second);
  const set = (at: number | undefined): void => onSet(at === undefined ? '' : new Date(at).toISOString());
  // For a time that the clocks show twice: the moment nearer to the previous value. The other one is offered.
  const near = (text: string): number | undefined => {
    const [first, last] = [momentsOf(text, zone).at(0), momentsOf(text, zone).at(-1)];
    return Math.abs((last ?? 0) - ms) < Math.abs((first ?? 0) - ms) ? last : first;
  };
  return (
    <>
      <label>
        {name} ({zone}){' '}
        <input
          type="datetime-local"
          step="1"
          value={shown}
          onChange={({ currentTarget }) => set(near(currentTarget.value))}
        />
      </label>
      {other !== undefined && (
        <button type="button" onClick={() => set(other)}>
          The clocks show this time twice: use {moment(new Date(other).toISOString(), zone)}
        </button>
      )}
    </>
  );
}
