import type { SubmissionKind } from '../../domain/submissions/submission-codes.js';

/**
 * Identifies a submission for ever: its node and its sequence in the node's list. If no list showed it: the lineage, kind and DA
 * height that prove it.
 */
export type SubmissionKey =
  | { readonly node: string; readonly sequence: bigint }
  | { readonly chain: string; readonly n: number; readonly kind: SubmissionKind; readonly daHeight: bigint };

const SEPARATOR = '~';

/** Formats the id, as `reporting.submission_id` does in SQL. */
export function formatSubmissionId(key: SubmissionKey): string {
  const parts =
    'node' in key
      ? [escapeName(key.node), key.sequence]
      : [escapeName(key.chain), key.n, key.kind, key.daHeight];
  return parts.join(SEPARATOR);
}

export function parseSubmissionId(id: string): SubmissionKey | undefined {
  const [name = '', second = '', kind, daHeight = '', ...rest] = id.split(SEPARATOR);
  if (rest.length > 0 || !isCount(second)) return undefined;
  if (kind === undefined) return { node: unescapeName(name), sequence: BigInt(second) };
  if (!isCount(daHeight) || !isKind(kind) || Number(second) > 2 ** 31 - 1) return undefined;
  return { chain: unescapeName(name), n: Number(second), kind, daHeight: BigInt(daHeight) };
}

function isCount(text: string): boolean {
  return /^(?:0|[1-9]\d{0,17})$/.test(text);
}

function isKind(text: string): text is SubmissionKind {
  return /^(?:HEADER|DATA|MIXED|UNKNOWN)$/.test(text);
}

function escapeName(name: string): string {
  return name.replace(/%/g, '%25').replace(/~/g, '%7E');
}

function unescapeName(text: string): string {
  return text.replace(/%7E/g, '~').replace(/%25/g, '%');
}
