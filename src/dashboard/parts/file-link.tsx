import { Download } from 'lucide';
import { hasKey, keyHeader } from '../data/ask.js';
import { Icon } from './icon.js';
import { useSending } from './sending.js';

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
  const [state, send] = useSending();
  const href = query.size === 0 ? path : `${path}?${query}`;
  return (
    <span>
      <a
        class={isButton ? 'button' : undefined}
        href={href}
        download={query.size > 0}
        onClick={(event) => {
          if (hasKey()) send(() => download(href, path.split('/').at(-1) ?? 'hindsight'), event);
        }}
      >
        {isButton && <Icon of={Download} />}
        {children}
      </a>{' '}
      <span class="quiet" role="status">
        {state === 'sending' ? 'Fetching…' : state instanceof Error && state.message}
      </span>
    </span>
  );
}

/**
 * Downloads a file of this server with the key of the session, which a link cannot send.
 * @throws Error that says why the download failed
 */
async function download(path: string, name: string): Promise<void> {
  const response = await fetch(path, { headers: keyHeader() });
  if (!response.ok) throw new Error(`The server answers with ${response.status}.`);
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
