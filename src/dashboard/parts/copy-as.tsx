import { useState } from 'preact/hooks';
import { hasKey } from '../data/ask.js';
import { toCurl, withValues } from '../data/question-text.js';

/** Copies what a page shows: as a command, as the query, and as the answer. */
export function CopyAs(given: {
  readonly question: string;
  readonly variables: object;
  readonly answer: object;
}) {
  const { question, variables, answer } = given;
  const query = withValues(question, variables);
  return (
    <section aria-labelledby="copy">
      <h2 id="copy">Copy</h2>
      <div class="tools">
        <CopyButton name="Copy as curl" text={() => toCurl(location.origin, question, variables, hasKey())} />
        <CopyButton name="Copy as GraphQL" text={() => query} />
        <CopyButton name="Copy as JSON" text={() => JSON.stringify(answer, null, 2)} />
        <a href={`/ide?query=${encodeURIComponent(query)}`}>Open in the IDE</a>
      </div>
    </section>
  );
}

/** A button that copies a text. If the browser forbids that, the text is shown for copying by hand. */
export function CopyButton({
  name,
  text,
}: {
  readonly name: string;
  readonly text: () => string | Promise<string>;
}) {
  const [message, setMessage] = useState('');
  const [shown, show] = useState<string>();
  const copy = async (): Promise<void> => {
    setMessage('');
    let copied: string;
    try {
      copied = await text();
    } catch (error) {
      return setMessage((error as Error).message);
    }
    try {
      await navigator.clipboard.writeText(copied);
      setMessage('Copied');
      show(undefined);
    } catch {
      // Browsers only copy in secure pages.
      setMessage('Copy by hand');
      show(copied);
    }
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {name}
      </button>
      <span class="quiet" role="status">
        {message}
      </span>
      {shown !== undefined && (
        <textarea readOnly rows={6} aria-label={name} value={shown} ref={(element) => element?.select()} />
      )}
    </>
  );
}
