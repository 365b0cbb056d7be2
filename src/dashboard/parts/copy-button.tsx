import { Check, Copy } from 'lucide';
import { useState } from 'preact/hooks';
import { Icon } from './icon.js';

/** A button that copies a text. If the browser forbids that, the text is shown for copying by hand. */
export function CopyButton({
  name,
  isBare = false,
  text,
}: {
  readonly name: string;
  /** Whether it shows an icon alone, for values in a row; its name is on hover. */
  readonly isBare?: boolean;
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
    <span class="copy">
      <button
        type="button"
        class={isBare ? 'bare' : undefined}
        aria-label={isBare ? name : undefined}
        title={isBare ? name : undefined}
        onClick={() => void copy()}
      >
        <Icon of={message === 'Copied' ? Check : Copy} />
        {!isBare && name}
      </button>
      <span class="quiet" role="status">
        {message}
      </span>
      {shown !== undefined && (
        <textarea readOnly rows={6} aria-label={name} value={shown} ref={(element) => element?.select()} />
      )}
    </span>
  );
}

/** A shell command, with a button that copies it. */
export function Command({
  label,
  text,
}: {
  /** The purpose of the command; left out where a sentence says it. */
  readonly label?: string;
  readonly text: string;
}) {
  return (
    <div class="command">
      {label !== undefined && <span class="quiet">{label}</span>}
      <code>{text}</code>
      <CopyButton name="Copy" text={() => text} />
    </div>
  );
}
