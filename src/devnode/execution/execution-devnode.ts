import { isIP } from 'node:net';
import type { DevControl } from '../dev-routes.js';
import type { DevnodeAnswer, DevnodeServer, NodeRequest } from '../http-server.js';
import { isLoopback } from '../loopback.js';
import { RigProcess, type RigProcessOptions } from '../rig-process.js';
import { seededBytes } from '../seeded-random.js';
import { refuseEngineToken } from './engine-auth.js';
import { answerEth, refuseHttp } from './eth-json-rpc.js';
import { ethCallsOf, type EthView } from './eth-methods.js';
import { ExecutionChain } from './execution-chain.js';
import {
  EXECUTION_COMMAND,
  EXECUTION_USAGE,
  type ExecutionCommand,
  type ExecutionFault,
} from './execution-faults.js';
import { ShownChain } from './shown-chain.js';

/** Options of an execution layer of the rig. Everything has a default. */
export interface ExecutionDevnodeOptions extends RigProcessOptions {
  /** Ports of the public API and of the Engine API; 0, the default, takes a free port. */
  port?: number;
  enginePort?: number;
  /** Default 1234. */
  chainId?: number;
  /** The secret of the Engine API: 32 bytes in hex, `0x` optional. Default: follows from the seed. */
  jwtSecret?: string | undefined;
}

const DEFAULT_CHAIN_ID = 1234;
const FAULTS = { closedBy: 'stopped', hangsBy: 'hang' } as const;

/** Starts an execution layer that only has its genesis; rejects when a port is busy. */
export async function startExecutionDevnode(
  options: ExecutionDevnodeOptions = {},
): Promise<ExecutionDevnode> {
  const node = new ExecutionDevnode(options);
  await node.start();
  return node;
}

/** An execution layer that answers as geth does, and executes the blocks of a rollup devnode. See `startExecutionDevnode`. */
export class ExecutionDevnode extends RigProcess<ExecutionFault, ExecutionCommand> {
  /** The blocks that were executed, without faults. */
  readonly chain: ExecutionChain;
  /** The secret of the Engine API, 64 digits of hex. */
  readonly jwtSecret: string;
  private readonly view: EthView;
  private readonly publicServer: DevnodeServer;
  private readonly engineServer: DevnodeServer;

  constructor(options: ExecutionDevnodeOptions) {
    super(options);
    const { chainId = DEFAULT_CHAIN_ID, jwtSecret } = options;
    this.chain = new ExecutionChain(chainId);
    this.jwtSecret =
      jwtSecret?.trim().replace(/^0x/, '') ?? seededBytes(32, this.seed, 'jwt').toString('hex');
    this.view = { shown: new ShownChain(this.chain, this.faults), chainId, count: this.count };
    this.publicServer = this.addPort(options.port, FAULTS, async (request) =>
      this.answerOn('public', request),
    );
    this.engineServer = this.addPort(options.enginePort, FAULTS, (request) => this.answerEngine(request));
  }

  /** Base URL of the public API; the same over stops. */
  get url(): string {
    return this.publicServer.url;
  }

  /** Base URL of the Engine API, which wants a token. */
  get engineUrl(): string {
    return this.engineServer.url;
  }

  /** Loses the newest blocks for good, as when it is restored from an old copy. */
  rollBack(blocks: number): void {
    const height = this.chain.head.number - BigInt(blocks);
    this.chain.cutTo(height > 0n ? height : 0n);
    this.truth.note('rolled-back', { blocks, head: this.chain.head.number });
  }

  protected override get commands(): DevControl<ExecutionCommand> {
    return {
      truth: this.truth,
      schema: EXECUTION_COMMAND,
      usage: EXECUTION_USAGE,
      apply: (command) => {
        if ('fault' in command) this.faults.give(command);
        else if ('end' in command) this.faults.end(command.end);
        else this.rollBack(command.rollBack);
        return { faults: this.faults.names, head: String(this.chain.head.number) };
      },
    };
  }

  protected override loops(): Promise<unknown>[] {
    return [];
  }

  /** Checks the token before anything else, as geth does. */
  private async answerEngine(request: NodeRequest): Promise<DevnodeAnswer> {
    const secret = Buffer.from(this.jwtSecret, 'hex');
    const refusal = await refuseEngineToken(request.headers.authorization, secret, this.clock.now());
    if (refusal !== undefined) return refuseHttp(401, refusal);
    const answer = this.answerOn('engine', request);
    const isOfRpc = answer.status !== 403 && answer.status !== 404;
    return isOfRpc ? { ...answer, headers: { ...answer.headers, vary: 'Origin' } } : answer;
  }

  private answerOn(port: 'public' | 'engine', request: NodeRequest): DevnodeAnswer {
    if (!isAllowedHost(request.headers.host ?? '')) return refuseHttp(403, 'invalid host specified');
    const before = this.chain.head;
    const answer = answerEth(request, ethCallsOf(this.view, port, isLoopback(this.host)));
    const { head } = this.chain;
    if (head !== before) this.truth.note('executed', { height: head.number, stateRoot: head.stateRoot });
    return answer;
  }
}

/** geth's default for names of virtual hosts; addresses pass. */
function isAllowedHost(header: string): boolean {
  const name = header.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return name === '' || name === 'localhost' || isIP(name) !== 0;
}
