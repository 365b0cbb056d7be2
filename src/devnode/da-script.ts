import type { Clock } from '../platform/clock.js';
import type { DaLayer, DaMode } from './da-layer.js';
import type { Millis } from '../domain/time.js';

/** Modes of a DA layer, one after the other and from the start again; each lasts for so many milliseconds. */
export type DaScript = readonly { mode: DaMode; forMs: Millis }[];

/** The scripts that have a name on the command line. */
export const DA_SCRIPTS: Record<'steady' | 'flaky', DaScript> = {
  steady: [],
  flaky: [
    { mode: 'up', forMs: 10_000 },
    { mode: 'down', forMs: 8_000 },
    { mode: 'up', forMs: 25_000 },
    { mode: 'mempool', forMs: 4_000 },
    { mode: 'up', forMs: 30_000 },
    { mode: 'sequence', forMs: 6_000 },
    { mode: 'up', forMs: 30_000 },
    { mode: 'slow', forMs: 15_000 },
    { mode: 'up', forMs: 30_000 },
    { mode: 'funds', forMs: 45_000 },
    { mode: 'up', forMs: 60_000 },
  ],
};

/** Plays a script until `signal` is aborted; an empty one leaves the DA layer alone. */
export async function playScript(
  script: DaScript,
  da: DaLayer,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (script.length > 0 && !signal.aborted) {
    for (const { mode, forMs } of script) {
      if (signal.aborted) return;
      da.mode = mode;
      await clock.sleep(forMs, signal);
    }
  }
}
