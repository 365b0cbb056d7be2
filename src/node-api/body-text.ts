import { isUtf8 } from 'node:buffer';

const EVIDENCE_BYTES = 2_048;

/** The start of a body, short enough to be kept: as text where it is text, else in base64 behind `base64:`. */
export function toEvidence(body: Buffer): string {
  const start = body.subarray(0, EVIDENCE_BYTES);
  const text = start.toString('utf8');
  const isText = isUtf8(body) && !text.includes('\u0000');
  return isText ? text : `base64:${start.toString('base64')}`;
}

/** A body as text; bytes that are no UTF-8 become U+FFFD, and then the body is given in base64 too. */
export function decodeText(body: Buffer): { text: string; original?: string } {
  const text = body.toString('utf8');
  return isUtf8(body) ? { text } : { text, original: body.toString('base64') };
}

/** Whether a body is a web page, whatever its content type says. */
export function isHtml(body: Buffer): boolean {
  return /^\s*<(!doctype|html|head|body|\?xml|!--)/i.test(body.toString('latin1', 0, 256));
}

/** Whether a body begins like a JSON object or array; a byte order mark may stand before it. */
export function looksLikeJson(body: Buffer): boolean {
  return /^(\xef\xbb\xbf)?\s*[{[]/.test(body.toString('latin1', 0, 64));
}
