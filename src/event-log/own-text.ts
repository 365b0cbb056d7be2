/**
 * The same text in memory of its own. A text that was cut out of another keeps all of that alive, and a row may come
 * from an event of 32 MB. Half a surrogate pair has no bytes, so a text with one stays as it is.
 */
export function ownText(text: string): string {
  const own = Buffer.from(text).toString();
  return own === text ? own : text;
}
