import { AskError, keyHeader, keyTrouble } from '../data/ask.js';
import type { View } from '../data/view.js';

const BASE = location.pathname.replace(/\/+$/, '');

/** Values of a row or a bucket, as they were sent: nodes use several names for the same value. */
export type Sent = Readonly<Record<string, unknown>>;

/** An answer in the words of the specification, and its headers. */
export interface RestAnswer<Body> {
  readonly body: Body;
  readonly headers: Headers;
  /** Why the answer comes from the record alone: the node's own answer would be a refusal. */
  readonly refusal?: AskError;
}

/** The answers of nodes without DA monitoring, or with DA monitoring switched off. */
const OFF = /^(404 page not found|DA visualization not available)$/;

function messageOf(text: string): string {
  if (OFF.test(text.trim()))
    return `DA monitoring is off at this node (it says “${text.trim()}”): this page shows earlier records.`;
  try {
    const { errors, message } = JSON.parse(text) as { errors?: { message: string }[]; message?: string };
    return errors?.[0]?.message ?? message ?? text;
  } catch {
    // The specification answers errors with plain text.
    return text.trim();
  }
}

/** The URL of a path of the node, for the moment and the shape that the address names. */
export function restUrl(
  { get }: Pick<View, 'get'>,
  path: string,
  query: Readonly<Record<string, string>> = {},
) {
  const search = new URLSearchParams(query);
  for (const name of ['at', 'shape']) if (get(name) !== '') search.set(name, get(name));
  const text = search.toString();
  return `${BASE}/${path}${text && `?${text}`}`;
}

/**
 * Requests a path of the node.
 * @throws AskError; DOMException when the signal aborts
 */
export async function askRest<Body>(url: string, request: RequestInit): Promise<RestAnswer<Body>> {
  const response = await fetch(url, {
    ...request,
    headers: { ...(request.headers as Readonly<Record<string, string>>), ...keyHeader() },
  }).catch((error: unknown) => {
    if (request.signal?.aborted) throw error;
    throw new AskError('away', 'The server does not answer.');
  });
  const text = await response.text();
  if (response.status === 401) throw keyTrouble();
  if (!response.ok) throw new AskError('refused', messageOf(text));
  return { body: JSON.parse(text) as Body, headers: response.headers };
}

/** Requests a path; after a refusal, requests the record and returns it with the refusal. */
export async function askOrRecorded<Body>(
  asked: string,
  recorded: string,
  signal: AbortSignal,
): Promise<RestAnswer<Body>> {
  try {
    return await askRest<Body>(asked, { signal });
  } catch (refusal) {
    if (!(refusal instanceof AskError) || refusal.trouble !== 'refused') throw refusal;
    return {
      ...(await askRest<Body>(recorded, { signal }).catch(() => {
        throw refusal;
      })),
      refusal,
    };
  }
}

/** The first known value among several names for the same value. */
export function pick(row: Sent, ...names: readonly string[]): unknown {
  return names.map((name) => row[name]).find(isKnown);
}

function isKnown(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '';
}

/** A text of a row; other values as JSON, and empty when unknown. */
export function textOf(row: Sent, ...names: readonly string[]): string {
  const value = pick(row, ...names);
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}

/** A number of a row; null when unknown. Large numbers are sent as texts. */
export function numberOf(value: unknown): number | null {
  return isKnown(value) && Number.isFinite(Number(value)) ? Number(value) : null;
}
