import { SystemClock, type Clock } from '../platform/clock.js';
import { answerDev, isDevPath, type DevControl } from './dev-routes.js';
import { GivenFaults, type GivenFault } from './given-faults.js';
import { DevnodeServer, type DevnodeAnswer, type NodeRequest } from './http-server.js';
import { LOOPBACK } from './loopback.js';
import { every, run, type RunningTask } from './running.js';
import { TruthLog } from './truth-log.js';

/** Options that every process next to a rollup node has. */
export interface RigProcessOptions {
  /** Default: the computer's clock. */
  clock?: Clock | undefined;
  /** Keys and hashes follow from it. Default `devnode`. */
  seed?: string | undefined;
  /** Address to listen on. Default 127.0.0.1. */
  host?: string | undefined;
  /** Port of the rig's control, which stays open while the process is stopped by a fault; 0, the default, takes a free port. */
  controlPort?: number | undefined;
  /** File to which everything that happens is written, one line of JSON each. */
  truthFile?: string | undefined;
}

/** A port of the imitated program, and the fault that closes it. */
interface Port<Name> {
  readonly server: DevnodeServer;
  readonly closedBy: Name;
}

type Answerer = (request: NodeRequest) => Promise<DevnodeAnswer | 'dropped'>;

const TICK_MS = 100;

/** A process of the rig next to the rollup node: it answers on some ports, has faults, and records what happens. */
export abstract class RigProcess<Fault extends GivenFault, Command extends object> {
  /** The number of calls of each method, and of each path of HTTP. */
  readonly calls = new Map<string, number>();
  protected readonly clock: Clock;
  protected readonly faults: GivenFaults<Fault>;
  protected readonly truth: TruthLog;
  protected readonly host: string;
  protected readonly seed: string;
  private readonly control: DevnodeServer;
  private readonly ports: Port<Fault['fault']>[] = [];
  private life: RunningTask | undefined;
  private opening: Promise<void> = Promise.resolve();
  private failure: unknown;

  protected constructor({ clock, seed, host, controlPort, truthFile }: RigProcessOptions) {
    this.clock = clock ?? new SystemClock();
    this.seed = seed ?? 'devnode';
    this.host = host ?? LOOPBACK;
    this.truth = new TruthLog(this.clock, truthFile);
    this.faults = new GivenFaults<Fault>(this.clock, this.truth.note);
    const answer: Answerer = async (request) => this.answerControl(request);
    this.control = new DevnodeServer(this.host, controlPort ?? 0, this.clock, answer);
  }

  /** Base URL of `/dev/fault` and `/dev/truth`, which answer even while the process is stopped by a fault. */
  get controlUrl(): string {
    return this.control.url;
  }

  /** Everything that happened, one line of JSON each; the newest 10,000. */
  get truthText(): string {
    return this.truth.text;
  }

  /** Rejects with `EADDRINUSE` when a port is busy; then none is open. */
  async start(): Promise<void> {
    try {
      for (const server of this.servers) await server.open();
    } catch (error) {
      await this.closeAll();
      throw error;
    }
    this.truth.note('node-started');
    this.life = run(
      (signal) => [every(this.clock, TICK_MS, () => this.applyFaults(), signal), ...this.loops(signal)],
      (error) => (this.failure = error),
    );
  }

  /** Stops in good order: nothing keeps running and no port stays open. Throws the error that broke the process, if any. */
  async stop(): Promise<void> {
    this.life?.controller.abort();
    await Promise.all([this.life?.done, this.opening]);
    await this.closeAll();
    if (this.life) this.truth.note('node-stopped');
    this.life = undefined;
    if (this.failure !== undefined) throw this.failure;
  }

  /** Begins a fault. When the promise is settled, its ports are closed. */
  begin(fault: Fault): Promise<void> {
    this.faults.give(fault);
    return this.applyFaults();
  }

  /** Ends a fault, or all. When the promise is settled, its ports are open. */
  end(fault: Fault['fault'] | 'all' = 'all'): Promise<void> {
    this.faults.end(fault);
    return this.applyFaults();
  }

  /** The work besides the faults, until `signal` is aborted. */
  protected abstract loops(signal: AbortSignal): Promise<unknown>[];
  /** The commands of `POST /dev/fault`. */
  protected abstract get commands(): DevControl<Command>;

  /** Adds a port. Requests reach `answer` unless they are for the rig's control, or the client left while `hang` lasted. */
  protected addPort(
    port: number | undefined,
    faults: { readonly closedBy: Fault['fault']; readonly hangsBy: Fault['fault'] },
    answer: Answerer,
    maxBodyBytes?: number,
  ): DevnodeServer {
    const handle: Answerer = async (request) => {
      if (isDevPath(request.path)) return this.answerControl(request);
      while (this.faults.has(faults.hangsBy) && !request.signal.aborted)
        await this.clock.sleep(TICK_MS, request.signal);
      return request.signal.aborted ? 'dropped' : answer(request);
    };
    const server = new DevnodeServer(this.host, port ?? 0, this.clock, handle, maxBodyBytes);
    this.ports.push({ server, closedBy: faults.closedBy });
    return server;
  }

  protected readonly count = (call: string): void =>
    void this.calls.set(call, (this.calls.get(call) ?? 0) + 1);

  private get servers(): DevnodeServer[] {
    return [...this.ports.map(({ server }) => server), this.control];
  }

  private answerControl(request: NodeRequest): DevnodeAnswer {
    return answerDev(this.commands, this.host, request);
  }

  /** Ends due faults, and opens and closes ports accordingly, one change after the other. */
  private applyFaults(): Promise<void> {
    this.faults.endDue();
    this.opening = this.openPorts(this.opening);
    return this.opening;
  }

  private async openPorts(after: Promise<void>): Promise<void> {
    await after;
    for (const { server, closedBy } of this.ports) await server.setOpen(!this.faults.has(closedBy));
  }

  private async closeAll(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
  }
}
