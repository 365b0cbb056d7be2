import { hash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../exact-json.js';
import { decodeSubmissionRow, isCountField, isTimeField, type SubmissionRow } from './submission-row.js';

/** The log's replacement for a text that was cut. */
export interface CutMark {
  /** Bytes of the whole in UTF-8. */
  readonly bytes: number;
  /** SHA-256 of the whole, hex. */
  readonly sha256: string;
}

/**
 * The member of a cut row that holds its `CutMark`, computed from canonical JSON: it does not depend on how the row was
 * written.
 */
const MARK = 'hindsight_cut';
/**
 * Rows up to this length are never cut: it would save next to nothing. Real rows have some 400 characters and 83 per blob.
 */
const LONGEST_WHOLE = 1_024;
const LONGEST_MESSAGE = 200;
const LONGEST_NAME = 64;
const LONGEST_PRICE = 40;
/** The end of every cut row, and of no other: see `bearsMark`. */
const MARKED = new RegExp(`"${MARK}":\\{"bytes":(\\d+),"sha256":"([0-9a-f]{64})"\\}\\}\\]?$`);

/**
 * The text that represents a fetched row in comparisons: the row itself, or for a long row what the log would keep if it
 * were cut. A row is thus the same whether it was kept whole or cut, and however it is written.
 */
export function comparedForm(text: string): string {
  return text.length <= LONGEST_WHOLE && !bearsMark(text) ? text : cutRow(text);
}

/** Like {@link comparedForm}, for a row of the log, which may have been cut. */
export function recordedForm(text: string): string {
  return isCut(text) ? text : comparedForm(text);
}

/** One form for all ways to write the row behind a compared form. */
export function canonicalForm(form: string): string {
  return isCut(form) ? form : cutRow(form);
}

/** Whether a row of the log was cut. */
export function isCut(text: string): boolean {
  return MARKED.test(text);
}

/**
 * The SHA-256 (hex) of the canonical JSON of a row of the log: of the whole row, also if it was cut.
 *
 * @param value as in `canonicalJson`
 */
export function canonicalDigest(text: string, value?: JsonValue): string {
  return MARKED.exec(text)?.[2] ?? hash('sha256', canonicalJson(text, value));
}

/** Whether a row as sent contains our mark. Such a row is always cut, so that every mark in the log is ours. */
export function bearsMark(text: string): boolean {
  if (text.includes(MARK)) return true;
  // The name may be written with escapes.
  if (!text.includes('\\u00')) return false;
  return canonicalJson(text).includes(MARK);
}

/**
 * A row without its long parts. Status, DA height, count, size, price and time stay, and read as before. The blob ids are
 * removed, and the message except for its start.
 */
export function cutRow(text: string): string {
  const canonical = canonicalJson(text);
  const mark = { bytes: Buffer.byteLength(canonical), sha256: hash('sha256', canonical) };
  const row = decodeSubmissionRow(text);
  // A list is not a row, just as the whole was not.
  if (row.unreadable.includes('row')) return JSON.stringify([clip(text, LONGEST_NAME), { [MARK]: mark }]);
  return JSON.stringify({ ...keptFields(row), ...unreadableFields(row), [MARK]: mark });
}

function keptFields(row: SubmissionRow): Record<string, string | number> {
  const fields: Record<string, string | number | null> = {
    id: row.id && clip(row.id, LONGEST_NAME),
    status_code: keptStatus(row),
    message: row.message && clip(row.message, LONGEST_MESSAGE),
    namespace: row.namespace,
    height: row.daHeight === null ? null : String(row.daHeight),
    num_blobs: row.blobCount,
    blob_size: row.sizeBytes === null ? null : String(row.sizeBytes),
    // No price is longer; a longer one could not be read again.
    gas_price: row.gasPrice !== null && row.gasPrice.length <= LONGEST_PRICE ? row.gasPrice : null,
    timestamp: keptTime(row),
  };
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, string | number] => field[1] !== null),
  );
}

/** A long text with a known meaning is replaced by our word for it, as its start might mean something else. */
function keptStatus({ status, statusText }: SubmissionRow): string | null {
  if (statusText === null || statusText.length <= LONGEST_NAME) return statusText;
  return status === 'OTHER' ? clip(statusText, LONGEST_NAME) : status;
}

function keptTime({ occurredAt, occurredAtText, unreadable }: SubmissionRow): string | null {
  const text = occurredAtText?.trim() ?? null;
  if (text === null || text.length <= LONGEST_NAME) return text;
  const isZero = occurredAt === null && !unreadable.some(isTimeField);
  return isZero ? '0001-01-01T00:00:00Z' : null;
}

/** Fields that could not be read stay unreadable. */
function unreadableFields({ unreadable, blobCount, occurredAtText }: SubmissionRow): Record<string, object> {
  const isTimeKept = occurredAtText !== null && occurredAtText.trim().length <= LONGEST_NAME;
  const names = unreadable
    .filter((name) => !(isTimeKept && isTimeField(name)))
    // The count may be known from elsewhere; then `blob_ids` represents the field that could not be read.
    .map((name) => (isCountField(name) && blobCount !== null ? 'blob_ids' : name));
  return Object.fromEntries(names.map((name) => [name, {}]));
}

/** The start of a text, marked as cut. It never ends with half a character. */
export function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')} … (cut)`;
}
