import { keyHeader } from './ask.js';

/**
 * Downloads a file of this server with the key of the session, which a link cannot send.
 * @param name of the saved file
 * @throws Error that says why the download failed
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
