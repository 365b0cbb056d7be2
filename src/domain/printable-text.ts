/**
 * A text of anybody's as one line that can be shown on a terminal: without control characters, invisible ones and those
 * that turn the writing direction, and no longer than told.
 *
 * @param longest UTF-16 units at most, the mark of omission included
 */
export function toPrintable(text: string, longest: number): string {
  // Cut first, so that a huge text costs no more than a long one.
  const start = text.slice(0, longest + 1).replace(/\s+/g, ' ');
  const line = start.replace(/[\p{C}\p{Zl}\p{Zp}\ufffd]/gu, '?');
  return text.length > longest ? `${line.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…` : line;
}
