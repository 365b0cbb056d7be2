import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import SEARCH from '../data/search.graphql?raw';
import type { SearchQuery } from '../data/answers.gen.js';
import { ask } from '../data/ask.js';
import { keepingView, momentOf, type View } from '../data/view.js';
import { sentence } from '../data/words.js';

const PAUSE_MS = 250;
/** Fields in which `/` is an ordinary letter; a tick box is not one. */
const WRITTEN_IN = 'input:not([type=checkbox]), textarea';

/** Search by id, hash, height or text. The key `/` focuses the field, arrow keys select a result, Enter opens the first. */
export function Search({ view }: { readonly view: View }) {
  const { asOf, knownAt } = momentOf(view);
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [hits, setHits] = useState<SearchQuery['search']>();
  const [trouble, setTrouble] = useState('');
  /** Whether Enter was pressed before there were results. */
  const isWaiting = useRef(false);
  const found = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || (event.target as Element).closest(WRITTEN_IN)) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  // A result has led to another page.
  useEffect(() => setText(''), [view]);
  useEffect(() => {
    setHits(undefined);
    setTrouble('');
    if (text.trim() === '') return;
    const aborter = new AbortController();
    const look = async (): Promise<void> => {
      try {
        setHits((await ask<SearchQuery>(SEARCH, { text, asOf, knownAt }, aborter.signal)).search);
      } catch (error) {
        if (!aborter.signal.aborted) setTrouble((error as Error).message);
      }
    };
    const timer = window.setTimeout(() => void look(), PAUSE_MS);
    return () => {
      window.clearTimeout(timer);
      aborter.abort();
    };
  }, [text, asOf, knownAt]);
  useEffect(() => {
    if (hits === undefined) return;
    if (isWaiting.current) found.current?.querySelector('a')?.click();
    isWaiting.current = false;
  }, [hits]);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    const field = input.current;
    const places = [...event.currentTarget.querySelectorAll<HTMLElement>('input, a')];
    const at = places.indexOf(event.target as HTMLElement);
    if (event.key === 'Escape') {
      setText('');
      field?.focus();
    } else if (event.key === 'Enter' && event.target === field) {
      isWaiting.current = places.length === 1;
      places[1]?.click();
    } else if (event.key === 'ArrowDown') places[at + 1]?.focus();
    else if (event.key === 'ArrowUp') places[at - 1]?.focus();
    else return;
    event.preventDefault();
  };
  return (
    <div
      class="search"
      role="search"
      onKeyDown={onKeyDown}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget as Node)) setHits(undefined);
      }}
    >
      <input
        ref={input}
        type="search"
        maxLength={1_000}
        aria-label="Search"
        placeholder="Search: id, hash, height, text ( / )"
        value={text}
        onInput={(event) => {
          // Here, not in an effect: an effect of the last letter can come after Enter.
          isWaiting.current = false;
          setText(event.currentTarget.value);
        }}
      />
      {(hits ?? trouble) && (
        <ul ref={found} aria-label="Found">
          {trouble !== '' && <li>{trouble}</li>}
          {hits?.length === 0 && (
            <li>
              {asOf === null && knownAt === null ? 'Nothing found.' : 'Nothing found at the past moment.'}
            </li>
          )}
          {hits?.map(({ id, kind, title, url }) => (
            <li key={`${kind} ${id}`}>
              <a href={keepingView(url)}>
                <bdi>{sentence(title)}</bdi>
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
