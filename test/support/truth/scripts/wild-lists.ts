import type { Front, ScriptedAddress } from '../scripted-address.js';
import type { ScriptedProcess } from '../scripted-process.js';
import type { Stage } from '../stage.js';
import { untilAllShown, type Script } from './script.js';

const LIST = '/da/submissions';
const ONE_WAYS: readonly Partial<Front>[] = [{}, { closes: true }, { headers: { server: 'Caddy' } }];

/** A random event at an address, drawn repeatedly. */
type Deed = () => Promise<void> | void;

/** Random events: one to three lists behind an address, directly, behind a proxy or behind a balancer. */
export const wild: Script = async (stage) => {
  const count = stage.draw(1, 3);
  // If several lists were empty from the start, their number could not be known.
  const processes = Array.from({ length: count }, (_, index) => startOne(stage, index, count === 1 ? 0 : 1));
  const rotation = new Rotation(stage, processes);
  const way = processes.length > 1 ? undefined : ONE_WAYS[stage.draw(0, ONE_WAYS.length - 1)];
  const address = way
    ? await stage.address('a', { ...way, processes })
    : await stage.proxy('a', { processes, pick: (path) => rotation.pick(path) });
  const deeds = deedsOf(stage, address, rotation);
  return async () => {
    await untilAllShown(stage, address);
    while (!stage.isOver) {
      await stage.rest(100, stage.random() < 0.3 ? 9_000 : 2_500);
      await deeds[stage.draw(0, deeds.length - 1)]?.();
    }
    address.thaw();
    rotation.out = undefined;
  };
};

/** Picks the process that answers: alternately or at random; one may be left out. */
class Rotation {
  out: ScriptedProcess | undefined;
  private turn = 0;
  private readonly isStrict: boolean;

  constructor(
    private readonly stage: Stage,
    readonly processes: readonly ScriptedProcess[],
  ) {
    this.isStrict = stage.random() < 0.5;
  }

  pick(path: string): ScriptedProcess | undefined {
    if (path === LIST) this.turn += 1;
    const inside = this.processes.filter((process) => process !== this.out);
    return inside[this.isStrict ? this.turn % inside.length : this.stage.draw(0, inside.length - 1)];
  }
}

function startOne(stage: Stage, index: number, leastRows: number): ScriptedProcess {
  const process = stage.process(`p${index}`).start();
  return process.post(stage.draw(leastRows, 3)).postEvery(drawPace(stage));
}

function drawPace(stage: Stage): number | undefined {
  return [undefined, 250, 900, 4_000][stage.draw(0, 3)];
}

function deedsOf(stage: Stage, address: ScriptedAddress, rotation: Rotation): readonly Deed[] {
  const { processes } = rotation;
  const any = (): ScriptedProcess => processes[stage.draw(0, processes.length - 1)] as ScriptedProcess;
  const isProxied = address.front.headers !== undefined;
  const restart = async (process: ScriptedProcess, mostMs: number): Promise<void> => {
    process.die();
    if (!isProxied) await address.close();
    await stage.rest(30, mostMs);
    process.start();
    if (!isProxied) await address.listen();
    await stage.rest(0, 600);
    process.post(stage.draw(0, 3), { failed: true });
  };
  const cut: Deed = async () => {
    await address.close();
    await stage.rest(300, 9_000);
    const process = any();
    if (stage.random() < 0.4) process.post(stage.draw(1, 150));
    if (stage.random() < 0.4) process.die();
    await stage.rest(100, 2_000);
    if (!process.isAlive) process.start();
    await address.listen();
  };
  const leaveOut: Deed = async () => {
    if (processes.length === 1) return;
    rotation.out = any();
    await stage.rest(500, 9_000);
    if (stage.random() < 0.4) await restart(rotation.out, 1_500);
    await stage.rest(0, 3_000);
    if (stage.random() < 0.7) rotation.out = undefined;
  };
  const freeze: Deed = async () => {
    if (!isProxied) return;
    address.freeze(true);
    await stage.rest(200, 8_000);
    if (stage.random() < 0.6) await restart(any(), 900);
    address.thaw();
  };
  return [
    () => restart(any(), 700),
    () => restart(any(), 700),
    () => restart(any(), 6_000),
    () => void any().post(stage.draw(1, 30)),
    () => void any().post(stage.draw(90, 250)),
    () => void any().post(stage.draw(1, 4), { alike: true }),
    () => void any().postEvery(drawPace(stage)),
    cut,
    leaveOut,
    leaveOut,
    freeze,
  ];
}
