import { parseSubmissionId, type SubmissionKey } from '../submissions/submission-id.js';

const HASH_BYTES = 32;
/** The DA height in 8 bytes, little-endian, and the commitment. */
const BLOB_ID_BYTES = 40;
/** With a larger height, the bytes are not the id of a blob. */
const LARGEST_HEIGHT = 2n ** 63n;
/** Length of a trigram; shorter parts occur in nearly all messages. */
const SHORTEST_PART = 3;

/** All interpretations of a search text. */
export interface SearchTerms {
  readonly text: string;
  readonly submission: SubmissionKey | undefined;
  /** Height of a block, or of the DA layer. */
  readonly height: bigint | undefined;
  /** 64 hex digits, lower case: a header hash, or the commitment of a blob. */
  readonly hash: string | undefined;
  readonly blob: { readonly id: string; readonly daHeight: bigint } | undefined;
  /** Part of a message. */
  readonly part: string | undefined;
}

export function readSearchTerms(given: string): SearchTerms {
  const text = given.trim();
  const height = /^\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  const blob = readBytes(text, BLOB_ID_BYTES);
  const daHeight = blob?.readBigUInt64LE() ?? LARGEST_HEIGHT;
  return {
    text,
    submission: text.includes('~') ? parseSubmissionId(text) : undefined,
    height: height !== undefined && height < LARGEST_HEIGHT ? height : undefined,
    hash: readBytes(text, HASH_BYTES)?.toString('hex'),
    blob: blob && daHeight < LARGEST_HEIGHT ? { id: blob.toString('hex'), daHeight } : undefined,
    part: text.length >= SHORTEST_PART ? text : undefined,
  };
}

/** Bytes in hex, with or without 0x, or in base64 of either alphabet. */
function readBytes(text: string, length: number): Buffer | undefined {
  const hex = /^(?:0x)?([0-9a-f]+)$/i.exec(text)?.[1];
  if (hex?.length === 2 * length) return Buffer.from(hex, 'hex');
  const digits = Math.ceil((length * 4) / 3);
  const isBase64 = /^[\w+/-]+={0,2}$/.test(text) && text.replace(/=+$/, '').length === digits;
  const bytes = isBase64 ? Buffer.from(text, 'base64') : undefined;
  return bytes?.length === length ? bytes : undefined;
}
