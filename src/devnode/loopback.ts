/** The address to listen on when none is named. */
export const LOOPBACK = '127.0.0.1';

const NAMES = new Set([LOOPBACK, '::1', 'localhost']);

/** Whether only this computer reaches a server that listens on the address. */
export function isLoopback(host: string): boolean {
  return NAMES.has(host);
}
