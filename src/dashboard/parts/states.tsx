import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { toPrintable } from '../../domain/printable-text.js';
import { keepKey, type AskError } from '../data/ask.js';
import { moment } from '../data/words.js';

const LONGEST_TITLE = 200;

/**
 * Tells scripts that the page is drawn: `data-ready` of the document.
 * @param title of the page, in the tab
 * @returns whether it was told: what stands below may be asked for
 */
export function useDrawn(drawn: boolean, title?: string): boolean {
  const [isTold, setTold] = useState(false);
  useLayoutEffect(() => {
    const told = document.documentElement.dataset;
    if (!drawn) {
      told['ready'] = 'false';
      return undefined;
    }
    // Behind the charts, which are drawn in tasks of their own.
    const timer = window.setTimeout(() => {
      told['ready'] = 'true';
      setTold(true);
    });
    return () => window.clearTimeout(timer);
  }, [drawn]);
  useEffect(() => {
    if (title !== undefined) document.title = `${toPrintable(title, LONGEST_TITLE)} · Hindsight`;
  }, [title]);
  return isTold;
}

/** Why there is no answer, or that the one shown is old. Asks for a key where one is needed. */
export function Trouble(given: {
  readonly error: AskError;
  readonly answeredMs: number | undefined;
  readonly zone: string;
  readonly again: () => void;
}) {
  const [key, setKey] = useState('');
  const { error, answeredMs, zone, again } = given;
  const use = (event: Event): void => {
    event.preventDefault();
    keepKey(key);
  };
  return (
    <div class="panel trouble" role="alert">
      <p>
        {error.message}
        {answeredMs !== undefined &&
          ` What is shown is of ${moment(new Date(answeredMs).toISOString(), zone)}.`}
      </p>
      {error.trouble === 'key' ? (
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
          <button>Use it until the tab is closed</button>
        </form>
      ) : (
        <button type="button" onClick={again}>
          Ask again
        </button>
      )}
    </div>
  );
}
