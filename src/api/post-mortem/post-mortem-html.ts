import MarkdownIt from 'markdown-it';
import { toPrintable } from '../../domain/printable-text.js';
import { toPlainPage } from '../pages/plain-page.js';
import type { PostMortem } from './post-mortem-data.js';
import { titleOf, toPostMortemMarkdown } from './post-mortem-markdown.js';

/** Knows only the marks that a post-mortem has, so that no text of a node can become a tag, a link or an image. */
const markdown = new MarkdownIt('zero').enable(['escape', 'fence', 'heading', 'list', 'table']);

/** A post-mortem as one HTML file without scripts, which prints well. Everything that a node sent is plain text in it. */
export function toPostMortemHtml(postMortem: PostMortem): string {
  return toPlainPage(toPrintable(titleOf(postMortem)), markdown.render(toPostMortemMarkdown(postMortem)));
}
