import { resolve } from 'node:path';

/** The environment of a program that is launched now, and whose clock shows another time then. */
export function launchedAt(ms: number): Record<string, string> {
  return {
    NODE_OPTIONS: `--import ${resolve('test/support/ahead-clock.mjs')}`,
    CLOCK_AHEAD_MS: String(ms - Date.now()),
  };
}
