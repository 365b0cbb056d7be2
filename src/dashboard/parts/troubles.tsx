import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { keepKey, type AskError } from '../data/ask.js';
import { moment } from '../data/words.js';

/** Why there is no answer, and when the last answer came. */
export interface Trouble {
  readonly error: AskError;
  /** When the shown answer was made; ms since 1970. */
  readonly answeredMs: number | undefined;
  readonly zone: string;
  readonly again: () => void;
}

/** The troubles of all parts of a page, in the order in which they began. */
const troubles = new Map<symbol, Trouble>();
const CHANGED = 'hindsight-trouble';

function change(part: symbol, trouble: Trouble | undefined): void {
  if (trouble === undefined) troubles.delete(part);
  else troubles.set(part, trouble);
  window.dispatchEvent(new Event(CHANGED));
}

/** Makes the page show the trouble of one of its parts, once for all parts with the same trouble. */
export function useTrouble(trouble: Trouble | undefined): void {
  const [part] = useState(() => Symbol('part'));
  useLayoutEffect(() => change(part, trouble), [trouble?.error, trouble?.answeredMs]);
  useEffect(() => () => change(part, undefined), []);
}

/** The troubles of the page's parts, each sentence once, above everything else on the page. */
export function Troubles() {
  const [, draw] = useState(0);
  useLayoutEffect(() => {
    const changed = (): void => draw((count) => count + 1);
    window.addEventListener(CHANGED, changed);
    return () => window.removeEventListener(CHANGED, changed);
  }, []);
  const all = [...troubles.values()];
  const sentences = [...new Set(all.map(({ error }) => error.message))];
  return (
    <>
      {sentences.map((sentence) => (
        <TroubleBox key={sentence} of={all.filter(({ error }) => error.message === sentence)} />
      ))}
    </>
  );
}

/** A sentence of the API. Names in backticks are drawn as code. */
function withNames(text: string) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

export function TroubleBox({ of }: { readonly of: readonly Trouble[] }) {
  const [key, setKey] = useState('');
  const [first] = of;
  if (first === undefined) return null;
  const answers = of.flatMap(({ answeredMs }) => answeredMs ?? []);
  const use = (event: Event): void => {
    event.preventDefault();
    keepKey(key);
  };
  return (
    <div class="panel trouble" role="alert">
      <p>
        {withNames(first.error.message)}
        {answers.length > 0 &&
          ` Shown: the state of ${moment(new Date(Math.min(...answers)).toISOString(), first.zone)}.`}
      </p>
      {first.error.trouble === 'key' ? (
        <form onSubmit={use}>
          <label>
            API key{' '}
            <input
              type="password"
              autocomplete="off"
              value={key}
              onInput={(event) => setKey(event.currentTarget.value)}
            />
          </label>
          <button>Use until the tab is closed</button>
        </form>
      ) : (
        <button type="button" onClick={() => of.forEach(({ again }) => again())}>
          Try again
        </button>
      )}
    </div>
  );
}
