import type { HttpLimits } from '../platform/http-messages.js';

/** Probes, state, metadata, health: a few hundred bytes at a real node. */
export const SMALL: HttpLimits = { bodyBytes: 65_536, headersMs: 4_000, totalMs: 5_000 };

/**
 * The list of submissions. One row with a backlog of 30,000 blob ids is about 2.5 MB. A list beyond the limit
 * is cut off and its complete rows are used.
 */
export const SUBMISSIONS: HttpLimits = { bodyBytes: 32 * 1_048_576, headersMs: 4_000, totalMs: 10_000 };

/** A block: the DA layer takes at most 8 MB in one blob, which is 11 MB in base64 and 16 MB in hex. */
export const BLOCK: HttpLimits = { bodyBytes: 24 * 1_048_576, headersMs: 5_000, totalMs: 15_000 };

/** One blob in hex, and a preview of it. The node itself gives up after 10 s. */
export const BLOB: HttpLimits = { bodyBytes: 24 * 1_048_576, headersMs: 12_000, totalMs: 15_000 };
