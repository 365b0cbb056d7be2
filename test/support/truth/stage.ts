import type { Clock } from '../../../src/platform/clock.js';
import { seededRandom } from '../seeded-random.js';
import type { PostedRow } from './hold-against-truth.js';
import { ScriptedAddress, type Front } from './scripted-address.js';
import { ScriptedProcess, type Habits } from './scripted-process.js';

/** A list that was not shown during this time at the end may not be noticed yet. */
const NOTICED_MS = 5_000;
const PROXY = { server: 'nginx/1.27.2', via: '1.1 edge' };

/** How a script is played. */
export interface Play {
  /** Also the name of its nodes' chain. */
  readonly id: string;
  readonly clock: Clock;
  readonly seed: number;
  /** How long events happen, in milliseconds; then all available processes answer. */
  readonly lengthMs: number;
}

/** The stage of a script: it has the processes and the addresses, and draws events and times. */
export class Stage {
  readonly addresses: ScriptedAddress[] = [];
  /** Nodes that must be covered from the second poll to the last, without a gap. */
  readonly good = new Set<string>();
  /** Nodes without a list, which have nothing to cover or to miss. */
  readonly listless = new Set<string>();
  /** Nodes that the settings declare to be without a proxy. */
  readonly direct = new Set<string>();
  /** The maximum number of gaps of nodes after their start. */
  readonly mostHoles = new Map<string, number>();
  readonly random: () => number;
  private readonly processes: ScriptedProcess[] = [];
  private readonly endsAt: number;

  constructor(private readonly play: Play) {
    this.random = seededRandom(play.seed);
    this.endsAt = play.clock.now() + play.lengthMs;
  }

  get id(): string {
    return this.play.id;
  }

  get isOver(): boolean {
    return this.play.clock.now() >= this.endsAt;
  }

  /** A process that has not been started. */
  process(name: string, habits: Habits = { chainId: this.id }): ScriptedProcess {
    const process = new ScriptedProcess(`${this.id}/${name}`, this.play.clock, this.random, habits);
    this.processes.push(process);
    return process;
  }

  /** Opens an address, which is a node of the chain. */
  async address(name: string, front: Front): Promise<ScriptedAddress> {
    const address = await ScriptedAddress.open(`${this.id}-${name}`, front, this.play.clock);
    this.addresses.push(address);
    return address;
  }

  /** Opens an address behind a proxy that identifies itself. */
  proxy(name: string, front: Front): Promise<ScriptedAddress> {
    return this.address(name, { headers: PROXY, ...front });
  }

  /** A whole number, both ends included. */
  draw(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from + 1));
  }

  /** Waits for a random number of milliseconds in this range. */
  rest(fromMs: number, toMs = fromMs): Promise<void> {
    return this.play.clock.sleep(this.draw(fromMs, toMs));
  }

  /** Stops all posts. Later polls are not judged. */
  silence(): void {
    this.silentAt = this.play.clock.now();
    for (const process of this.processes) process.postEvery(undefined);
  }

  /** The time when all posts stopped. */
  silentAt = Infinity;

  /** Every row that was posted behind an address. */
  postedBehind(address: ScriptedAddress): readonly PostedRow[] {
    return address.front.processes.flatMap((process) => postedBy(process, judgedTo(process, address)));
  }

  /** Every row of the chain, once, whatever the number of addresses that show its list. */
  get posted(): readonly PostedRow[] {
    return this.processes.flatMap((process) => {
      const shownAt = this.addresses.filter(({ front }) => front.processes.includes(process));
      return postedBy(process, Math.max(...shownAt.map((address) => judgedTo(process, address))));
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.addresses.map((address) => address.close()));
  }
}

/** The time up to which polls can have reported the fate of a process's rows. */
function judgedTo(process: ScriptedProcess, { looks }: ScriptedAddress): number {
  const lastLook = looks.at(-1)?.at ?? -Infinity;
  const lastShown = looks.findLast(({ of }) => of === process)?.at ?? -Infinity;
  return lastShown >= lastLook - NOTICED_MS ? lastShown : lastLook;
}

function postedBy(process: ScriptedProcess, judged: number): readonly PostedRow[] {
  return process.posted.map((row) => (row.at > judged ? { ...row, isTooLate: true } : row));
}
