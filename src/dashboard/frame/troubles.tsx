import { useState } from 'preact/hooks';
import { tryKey } from '../data/ask.js';
import { useTroubles, type QueryFailure } from '../data/troubles.js';
import { moment } from '../data/words.js';
import { SendingError, useSending } from '../parts/sending.js';

/** Troubles with the same name are shown once: the key is missing for all parts alike. */
function nameOf({ error }: QueryFailure): string {
  return error.trouble === 'key' ? 'key' : error.message;
}

/** The troubles of the page's parts, each once, above everything else on the page. */
export function Troubles() {
  const all = useTroubles();
  const names = [...new Set(all.map(nameOf))];
  return (
    <>
      {names.map((name) => (
        <TroubleBox key={name} of={all.filter((trouble) => nameOf(trouble) === name)} />
      ))}
    </>
  );
}

/** A sentence of the API. Names in backticks are drawn as code. */
function withNames(text: string) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

function TroubleBox({ of }: { readonly of: readonly QueryFailure[] }) {
  const [first] = of;
  if (first === undefined) return null;
  const answers = of.flatMap(({ answeredMs }) => answeredMs ?? []);
  return (
    <div class="notice WARNING" role="alert">
      <p>
        {withNames(first.error.message)}
        {answers.length === of.length && ` Shown: the state of ${moment(Math.min(...answers))}.`}
      </p>
      {first.error.trouble === 'key' ? (
        <KeyForm />
      ) : (
        <button type="button" onClick={() => of.forEach(({ again }) => again())}>
          Try again
        </button>
      )}
    </div>
  );
}

function KeyForm() {
  const [key, setKey] = useState('');
  const [state, send] = useSending();
  return (
    <form class="tools" onSubmit={(event) => send(() => tryKey(key), event)}>
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
      <SendingError state={state} />
    </form>
  );
}
