import type { ScriptedAddress } from '../scripted-address.js';
import type { ScriptedProcess } from '../scripted-process.js';
import type { Stage } from '../stage.js';

/**
 * A list, or a few of one chain, and what becomes of them. It sets up the stage, and gives what happens then: that goes on
 * until the stage is over, and leaves whatever can answer answering.
 */
export type Script = (stage: Stage) => Promise<() => Promise<void>>;

/** Nothing happens but what processes do by themselves. */
export const QUIET = async (): Promise<void> => undefined;

/** Killed: its port is closed, and its connections are. */
export async function kill(process: ScriptedProcess, address: ScriptedAddress): Promise<void> {
  process.die();
  await address.close();
}

export async function revive(process: ScriptedProcess, address: ScriptedAddress): Promise<void> {
  process.start();
  await address.listen();
}

/** Lists that were never shown in turn are none that anybody can tell apart: waits until each was shown before and after all others. */
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
