import { useState } from 'preact/hooks';
import { hasKey } from '../data/ask.js';
import { download } from '../data/download.js';

/** A link to a file of this server. If a key is needed, the file is fetched with it. */
export function FileLink({
  path,
  query,
  children,
}: {
  /** Path without a query, for example `/export/costs.csv`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly children: string;
}) {
  const [message, setMessage] = useState('');
  const href = query.size === 0 ? path : `${path}?${query}`;
  const fetchIt = async (event: Event): Promise<void> => {
    if (!hasKey()) return;
    event.preventDefault();
    setMessage('Fetching…');
    try {
      await download(href, path.split('/').at(-1) ?? 'hindsight');
      setMessage('');
    } catch (error) {
      setMessage((error as Error).message);
    }
  };
  return (
    <span>
      <a href={href} download={query.size > 0} onClick={(event) => void fetchIt(event)}>
        {children}
      </a>{' '}
      <span class="quiet" role="status">
        {message}
      </span>
    </span>
  );
}
