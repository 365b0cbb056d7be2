import { createHash } from 'node:crypto';
import MarkdownIt from 'markdown-it';

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:CanvasText;background:Canvas}
:root{color-scheme:light dark}@media print{:root{color-scheme:light}}
table{border-collapse:collapse;width:100%}td,th{border-top:1px solid #8886;padding:.3rem .6rem;text-align:left;vertical-align:top}td:last-child{overflow-wrap:anywhere}
@media(max-width:40rem){td,th{display:block;border:0}tr{border-top:1px solid #8886}}
tr{break-inside:avoid}h2{margin-top:2rem;break-after:avoid}pre{white-space:pre-wrap;overflow-wrap:anywhere}`;

/** The policy of a plain page: it runs and loads nothing, and only our style applies. */
export const PLAIN_PAGE_POLICY = policyOf(STYLE);

/** The policy of a page without scripts that loads nothing, and to which only a given style applies. */
export function policyOf(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** Plain text as content of an element, or value of an attribute in double quotes, of HTML and XML. */
export const escapeHtml = new MarkdownIt().utils.escapeHtml;

/**
 * One HTML file without scripts, which prints well.
 * @param title plain text
 * @param body HTML
 * @param more HTML for the head
 */
export function toPlainPage(title: string, body: string, style = STYLE, more = ''): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>${more}<style>${style}</style></head><body>
${body}</body></html>
`;
}
