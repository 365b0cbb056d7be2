const SENT = 'meta[name=now]';

let toldMs = Date.parse(document.querySelector(SENT)?.getAttribute('content') ?? '');

/** The server's time from its last answer, in ms since 1970: first from the page, then from each answer. */
export function nowMs(): number {
  return toldMs;
}

/** Keeps the server's time from an answer, ISO 8601. */
export function noteNow(told: string): void {
  toldMs = Date.parse(told);
}
