const SENT = 'meta[name=now]';

let toldMs = Date.parse(document.querySelector(SENT)?.getAttribute('content') ?? '');

/** The time that the server told last, in ms since 1970: with the page, then with each answer. */
export function nowMs(): number {
  return toldMs;
}

/** Keeps the time that an answer tells, ISO 8601. */
export function noteNow(told: string): void {
  toldMs = Date.parse(told);
}
