import { DEFAULT_THRESHOLDS } from '../../domain/health/health-thresholds.js';
import type { Verdict } from '../../domain/submissions/window-verdict.js';

/** Bytes of rows that contradict each other that are kept as evidence. */
const EVIDENCE_CHARACTERS = 4_000;
/** Answers that are older than what is known tell nothing of now; after this long the list counts as one that cannot be read. */
export const STALE_PATIENCE_MS = DEFAULT_THRESHOLDS.notWatchedAfterMs;

/** The start of what was sent, as evidence. */
export function startOf(rows: readonly string[]): string {
  let text = '';
  for (const row of rows) {
    if (text.length >= EVIDENCE_CHARACTERS) break;
    text += `${row.slice(0, EVIDENCE_CHARACTERS)}\n`;
  }
  return text.slice(0, EVIDENCE_CHARACTERS).trimEnd();
}

/** Why an answer cannot be used; undefined when it can. */
export function faultOf(verdict: Verdict): string | undefined {
  if (verdict.kind === 'INVALID') return verdict.detail;
  if (verdict.kind === 'STALE') {
    const seconds = STALE_PATIENCE_MS / 1_000;
    return `for more than ${seconds} s it has shown only what is older than what is known, as a cache would`;
  }
  return verdict.kind === 'CUT' ? 'the answer was cut off before it reached a row that is known' : undefined;
}
