/** The browser's clock, in ms since 1970. Nothing else of the dashboard reads it. */
export function nowMs(): number {
  return Date.now();
}
