import { useEffect, useRef, useState } from 'preact/hooks';
import SEARCH from '../data/search.graphql?raw';
import type { SearchQuery } from '../data/answers.gen.js';
import { ask } from '../data/ask.js';
import { keepingView } from '../data/view.js';

const PAUSE_MS = 250;
/** Where the key is a letter like others: no tick box is one. */
const WRITTEN_IN = 'input:not([type=checkbox]), textarea';

/** Finds anything by an id, a hash, a height or a text. The key `/` goes to it. */
export function Search() {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [hits, setHits] = useState<SearchQuery['search']>();
  const [trouble, setTrouble] = useState('');
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || (event.target as Element).closest(WRITTEN_IN)) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  useEffect(() => {
    setHits(undefined);
    setTrouble('');
    if (text.trim() === '') return;
    const aborter = new AbortController();
    const look = async (): Promise<void> => {
      try {
        setHits((await ask<SearchQuery>(SEARCH, { text }, aborter.signal)).search);
      } catch (error) {
        if (!aborter.signal.aborted) setTrouble((error as Error).message);
      }
    };
    const timer = window.setTimeout(() => void look(), PAUSE_MS);
    return () => {
      window.clearTimeout(timer);
      aborter.abort();
    };
  }, [text]);
  return (
    <div class="search" role="search">
      <input
        ref={input}
        type="search"
        maxLength={1_000}
        aria-label="Search"
        placeholder="Search: id, hash, height, text ( / )"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && setText('')}
      />
      {(hits ?? trouble) && (
        <ul class="panel" aria-label="Found">
          {trouble !== '' && <li>{trouble}</li>}
          {hits?.length === 0 && <li>Nothing is found.</li>}
          {hits?.map(({ id, kind, title, url }) => (
            <li key={`${kind} ${id}`}>
              <a href={keepingView(url)}>
                <bdi>{title}</bdi>
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
