import { localText, momentsOf } from '../data/local-time.js';
import { moment } from '../data/words.js';

/** A field for a moment, in the zone that times of the page are shown in. */
export function MomentField(given: {
  readonly name: string;
  /** ISO 8601; what cannot be read leaves the field empty. */
  readonly value: string;
  readonly zone: string;
  /** Told the moment in ISO 8601; empty where the field was emptied. */
  readonly onSet: (moment: string) => void;
}) {
  const { name, value, zone, onSet } = given;
  const ms = Date.parse(value);
  const shown = Number.isNaN(ms) ? '' : localText(ms, zone);
  const second = Math.floor(ms / 1000) * 1000;
  const other = momentsOf(shown, zone).find((at) => at !== second);
  const set = (at: number | undefined): void => onSet(at === undefined ? '' : new Date(at).toISOString());
  // Of a time that the clocks show twice the nearer one to what stood there; the other one is offered.
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
