import { useState } from 'preact/hooks';

/** A text field that takes effect on Enter or when it loses the focus. Updates of the page leave the typed text alone. */
export function DraftInput({
  value,
  placeholder,
  onCommit,
  isInvalid = false,
}: {
  readonly value: string;
  readonly placeholder: string;
  readonly onCommit: (text: string) => void;
  readonly isInvalid?: boolean;
}) {
  const [draft, setDraft] = useState<string>();
  return (
    <input
      type="text"
      maxLength={200}
      autocomplete="off"
      spellcheck={false}
      placeholder={placeholder}
      aria-invalid={isInvalid}
      value={draft ?? value}
      onInput={({ currentTarget }) => setDraft(currentTarget.value)}
      onChange={({ currentTarget }) => {
        setDraft(undefined);
        onCommit(currentTarget.value);
      }}
      onBlur={() => setDraft(undefined)}
    />
  );
}
