import { keyHeader } from './ask.js';

/**
 * Fetches a file of this server with the key of the session, which a link cannot send, and has the browser keep it.
 * @param name that it is kept under
 * @throws Error that says why there is none
 */
export async function download(path: string, name: string): Promise<void> {
  const response = await fetch(path, { headers: keyHeader() });
  if (!response.ok) throw new Error(`The server answers with ${response.status}.`);
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
