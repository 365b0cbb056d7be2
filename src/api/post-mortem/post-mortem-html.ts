import { toPrintable } from '../../domain/printable-text.js';
import {
  causesOf,
  claimsOf,
  cutOf,
  endOf,
  figuresFrom,
  headOf,
  nodesOf,
  seenBy,
  seenOnly,
  timelineOf,
  timeOf,
  titleOf,
  worstOf,
} from './post-mortem-words.js';
import { questionsOf } from './post-mortem-questions.js';
import { figuresInWords } from './post-mortem-figures.js';
import type { PostMortem } from './post-mortem-data.js';

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:CanvasText;background:Canvas}
:root{color-scheme:light dark}@media print{:root{color-scheme:light}}
table{border-collapse:collapse;width:100%}td,th{border-top:1px solid #8886;padding:.3rem .6rem;text-align:left;vertical-align:top}td:last-child{overflow-wrap:anywhere}
@media(max-width:40rem){td,th{display:block;border:0}tr{border-top:1px solid #8886}}
tr{break-inside:avoid}h2{margin-top:2rem;break-after:avoid}pre{white-space:pre-wrap;overflow-wrap:anywhere}`;

/** A post-mortem as one HTML file without scripts, which prints well. Everything that a node sent is plain text in it. */
export function toPostMortemHtml(postMortem: PostMortem): string {
  const claims = claimsOf(postMortem);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(titleOf(postMortem))}</title><style>${STYLE}</style></head><body>
<h1>${escape(titleOf(postMortem))}</h1>
${[headOf(postMortem), ...endOf(postMortem), ...nodesOf(postMortem), ...figuresFrom(postMortem), ...seenBy(postMortem)].map(paragraph).join('\n')}
<h2>What happened</h2>
${worstOf(postMortem).map(paragraph).join('\n')}
${list(causesOf(postMortem))}
<h2>Impact</h2>
${seenOnly(postMortem).map(paragraph).join('\n')}
${table(
  ['figure', 'value'],
  figuresInWords(postMortem.figures).map(({ title, value }) => [title, value ?? 'unknown']),
)}
<h2>DA health as ${postMortem.nodes.length > 1 ? 'the nodes' : 'the node'} reported it</h2>
${claims.length === 0 ? '<p>No report is known.</p>' : list(claims)}
<h2>Timeline</h2>
${table(
  ['time', 'event', 'what'],
  timelineOf(postMortem).map(({ atUs, position, what }) => [timeOf(atUs), String(position), what]),
)}
${cutOf(postMortem).map(paragraph).join('\n')}
<h2>How to check the figures</h2>
<p>Send these queries to GraphQL.</p>
<pre>${questionsOf(postMortem).split('\n').map(escape).join('\n')}</pre>
</body></html>
`;
}

function paragraph(line: string): string {
  return `<p>${escape(line)}</p>`;
}

function list(lines: readonly string[]): string {
  return `<ul>${lines.map((line) => `<li>${escape(line)}</li>`).join('')}</ul>`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (tag: string, cells: readonly string[]): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escape(cell)}</${tag}>`).join('')}</tr>`;
  return `<table>${line('th', head)}${rows.map((row) => line('td', row)).join('\n')}</table>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return toPrintable(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
