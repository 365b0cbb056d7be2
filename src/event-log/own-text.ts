/**
 * Copies a text into its own memory. A text cut out of another one keeps the whole original alive, and a row may come from an
 * event of 32 MB. Half a surrogate pair has no bytes in UTF-8, so a text with one is returned as it is.
 */
export function ownText(text: string): string {
  const own = Buffer.from(text).toString();
  return own === text ? own : text;
}
