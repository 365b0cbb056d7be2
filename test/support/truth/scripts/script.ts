import type { ScriptedAddress } from '../scripted-address.js';
import type { ScriptedProcess } from '../scripted-process.js';
import type { Stage } from '../stage.js';

/**
 * The story of one or several lists of a chain. It sets up the stage, and returns the action: this runs until the stage is over,
 * and leaves all available processes answering.
 */
export type Script = (stage: Stage) => Promise<() => Promise<void>>;

/** Nothing happens except the processes' own behaviour. */
export const QUIET = async (): Promise<void> => undefined;

/** Kills a process, closes its port and its connections. */
export async function kill(process: ScriptedProcess, address: ScriptedAddress): Promise<void> {
  process.die();
  await address.close();
}

export async function revive(process: ScriptedProcess, address: ScriptedAddress): Promise<void> {
  process.start();
  await address.listen();
}

/** Waits until each list was shown before and after all others: lists that never alternated cannot be distinguished. */
export async function untilAllShown(
  stage: Stage,
  { front, looks }: ScriptedAddress,
  between?: () => Promise<void>,
): Promise<void> {
  const areShown = (): boolean => {
    const shown = front.processes.map((process) =>
      looks.filter(({ of }) => of === process).map(({ at }) => at),
    );
    const lastBegun = Math.max(...shown.map((times) => times[0] ?? Infinity));
    return shown.every((times) => (times.at(-1) ?? -Infinity) > lastBegun || times[0] === lastBegun);
  };
  while (!stage.isOver && !areShown()) {
    await between?.();
    await stage.rest(700);
  }
}
