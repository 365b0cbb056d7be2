import { toHashKey } from '../blocks/block-locator.js';
import { tryParseExactJson } from '../exact-json.js';
import { canonicalDigest } from './cut-row.js';
import { decodeParsedRow, type SubmissionRow } from './submission-row.js';

/**
 * Identifies a row: the first 64 bits of the SHA-256 of its canonical JSON, as a signed integer. It is equal for the same
 * row on two endpoints of one node, even if a proxy prints the row differently or the log holds only a part of it.
 *
 * @param text the row as stored in the log
 */
export function digestOfRow(text: string): bigint {
  return toHashKey(canonicalDigest(text));
}

/** A row of the log with its digest. Its text is parsed once for both. */
export interface RecordedRow extends SubmissionRow {
  readonly digest: bigint;
}

/** Reads a row of the log, whatever its text is. Never throws. */
export function readRecordedRow(text: string): RecordedRow {
  const parsed = tryParseExactJson(text);
  return { ...decodeParsedRow(parsed), digest: toHashKey(canonicalDigest(text, parsed)) };
}
