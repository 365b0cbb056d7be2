import { useMemo } from 'preact/hooks';
import { nowMs } from '../data/now.js';
import { rowRangeOf } from '../data/range.js';
import type { View } from '../data/view.js';

/** The page of a list that the address names, and a function that goes to another page. */
export function usePages(view: View) {
  // The start of "the last hour" stays where it was when it was chosen: cursors are valid for one range only.
  const openedMs = useMemo(nowMs, [view.get('last'), view.get('asOf')]);
  const go = (after: string): void => {
    const { from } = rowRangeOf(view, openedMs);
    view.set({ after, ...(view.get('last') === '' ? {} : { last: '', from: from ?? '' }) });
  };
  return { openedMs, after: view.get('after'), go };
}

interface PageEnd {
  readonly hasNextPage: boolean;
  readonly endCursor: string | null;
}

/** Buttons for older rows of a list, and back to the newest; nothing if all rows are shown. */
export function ListPages(given: {
  /** The rows, in words. */
  readonly of: string;
  /** The cursor in the address; empty for the newest rows. */
  readonly after: string;
  readonly page: PageEnd;
  /** Called with the cursor of older rows, or with an empty text for the newest. */
  readonly go: (after: string) => void;
}) {
  const { of, after, page, go } = given;
  if (after === '' && !page.hasNextPage) return null;
  return (
    <div class="tools" role="group" aria-label={`Pages of ${of}`}>
      {after !== '' && (
        <button type="button" onClick={() => go('')}>
          Newest
        </button>
      )}
      {page.hasNextPage && (
        <button type="button" onClick={() => go(page.endCursor ?? '')}>
          Older
        </button>
      )}
    </div>
  );
}
