import { Download } from 'lucide';
import { useState } from 'preact/hooks';
import { hasKey } from '../data/ask.js';
import { download } from '../data/download.js';
import { Icon } from './icon.js';

/** A link to a file of this server. If a key is needed, the file is fetched with it. */
export function FileLink({
  path,
  query,
  isButton = false,
  children,
}: {
  /** Path without a query, for example `/export/costs.csv`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly isButton?: boolean;
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
      <a
        class={isButton ? 'button' : undefined}
        href={href}
        download={query.size > 0}
        onClick={(event) => void fetchIt(event)}
      >
        {isButton && <Icon of={Download} />}
        {children}
      </a>{' '}
      <span class="quiet" role="status">
        {message}
      </span>
    </span>
  );
}
