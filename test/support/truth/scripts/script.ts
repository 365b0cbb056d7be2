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

/** Lists that were never shown are none that anybody can know of: waits until each was shown twice. */
export async function untilAllShown(
  stage: Stage,
  { front, looks }: ScriptedAddress,
  between?: () => Promise<void>,
): Promise<void> {
  const isShown = (process: ScriptedProcess): boolean => looks.filter(({ of }) => of === process).length > 1;
  while (!stage.isOver && !front.processes.every(isShown)) {
    await between?.();
    await stage.rest(700);
  }
}
