import { toPrintable } from '../../domain/printable-text.js';

/** Untrusted text as plain text of a Markdown document: it cannot make a cell, code, tag, link, emphasis or mention. */
export function toMarkdownText(text: string): string {
  return toPrintable(text)
    .replace(/[\\|`<>[\]*_~&@]/g, '\\$&')
    .replace(/:(?=\/\/)|(?<=\bwww)\./gi, '\\$&');
}
