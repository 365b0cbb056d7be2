/** The end of a page of a list. */
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
