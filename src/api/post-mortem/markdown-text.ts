import { toPrintable } from '../../domain/printable-text.js';

/** A text of anybody's as plain text of a Markdown document: it makes no cell, code, tag, link, emphasis or mention of its own. */
export function toMarkdownText(text: string): string {
  return toPrintable(text)
    .replace(/[\\|`<>[\]*_~&@]/g, '\\$&')
    .replace(/:(?=\/\/)|(?<=\bwww)\./gi, '\\$&');
}
