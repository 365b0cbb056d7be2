/** A field for a moment. It is in UTC, whatever zone times are shown in, because fields know no other zones. */
export function MomentField(given: {
  readonly name: string;
  /** ISO 8601; what cannot be read leaves the field empty. */
  readonly value: string;
  /** Told the moment in ISO 8601; empty where the field was emptied. */
  readonly onSet: (moment: string) => void;
}) {
  const { name, value, onSet } = given;
  return (
    <label>
      {name} (UTC){' '}
      <input
        type="datetime-local"
        step="1"
        value={readMoment(value)}
        onChange={({ currentTarget: { value: typed } }) =>
          onSet(typed === '' ? '' : new Date(`${typed}Z`).toISOString())
        }
      />
    </label>
  );
}

/** A moment as a field takes it; empty where it is none. */
export function readMoment(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString().slice(0, 19);
}
