import { startDaDevnode, type DaDevnode } from '../../../src/devnode/da/da-devnode.js';
import type { DaDevnodeOptions } from '../../../src/devnode/da/da-options.js';
import type { DevnodeOptions } from '../../../src/devnode/devnode-options.js';
import { startDevnode, type Devnode } from '../../../src/devnode/devnode.js';
import {
  startExecutionDevnode,
  type ExecutionDevnode,
} from '../../../src/devnode/execution/execution-devnode.js';

/** A rollup node with the two systems behind it. */
export interface FaultWorld {
  readonly id: string;
  readonly da: DaDevnode;
  readonly layer: ExecutionDevnode;
  readonly node: Devnode;
  /** The node's entry in the settings of Hindsight. */
  readonly settings: object;
  stop(): Promise<void>;
}

/** A rollup, a fault, and how Hindsight must report the fault. */
export interface ScriptedFault {
  readonly id: string;
  readonly fault: string;
  readonly da?: DaDevnodeOptions;
  /** The id of an earlier rollup whose DA node, and account, this rollup uses, too. */
  readonly sharesDaOf?: string;
  readonly rollup?: (da: DaDevnode, atMs: number) => Promise<Partial<DevnodeOptions>>;
  /** Names of accounts of the DA network that Hindsight shall watch. */
  readonly accounts?: readonly string[];
  /** Hindsight's token; one that may read by default. */
  readonly token?: (da: DaDevnode, atMs: number) => Promise<string>;
  /** Begins the fault, by the rig's control. Left out: it begins by itself. */
  readonly begin?: (world: FaultWorld) => Promise<unknown>;
  readonly expected: ExpectedSource;
}

/** The one incident of a fault. */
interface ExpectedSource {
  readonly component: 'DA' | 'DA_NODE' | 'EXECUTION';
  readonly rule: string | RegExp;
  readonly severity?: 'CRITICAL' | 'WARNING';
  readonly reason?: RegExp;
  /** The cause and remedy of the failing submissions, which follow from the incident, or are the incident. */
  readonly failing?: { readonly code: string; readonly remedy: RegExp };
  /** How long the rule itself waits, in milliseconds; null: it depends on a rate. */
  readonly waitsMs: number | null;
}

const DA_BLOCK_MS = 500;
const BLOCK_MS = 1_000;
/** Enough for weeks. */
export const RICH_UTIA = 1_000_000_000_000n;
/** Polls of a DA node come every three DA blocks, and balances with every third poll. */
export const POLL_MS = { list: 2_000, DA: 2_000, DA_NODE: 3 * DA_BLOCK_MS, EXECUTION: 3 * BLOCK_MS } as const;

const BEGINNINGS = /"what":"(?:fault-began|rolled-back)"|"kind":"sent"/;

/** Sends a command to the control of a process of the rig. */
export async function command(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/dev/fault`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${JSON.stringify(body)} was refused: ${await answer.text()}`);
}

/** Starts the rollup of a fault. @param atMs when faults begin */
export async function startWorld(
  { id, da: daOptions, rollup, accounts = [], token, sharesDaOf }: ScriptedFault,
  atMs: number,
  others: ReadonlyMap<string, FaultWorld>,
): Promise<FaultWorld> {
  const shared = sharesDaOf === undefined ? undefined : others.get(sharesDaOf)?.da;
  const da =
    shared ??
    (await startDaDevnode({ blockTimeMs: DA_BLOCK_MS, balanceUtia: RICH_UTIA, seed: id, ...daOptions }));
  const layer = await startExecutionDevnode({ seed: id });
  const node = await startDevnode({
    chainId: `${id}-1`,
    seed: id,
    blockTimeMs: BLOCK_MS,
    daUrl: da.url,
    daToken: da.tokens.write,
    daTimeoutMs: 3_000,
    execution: layer.url,
    ...(await rollup?.(da, atMs)),
  });
  const settings = {
    id,
    rpc: node.url,
    daNode: { url: da.url, token: (await token?.(da, atMs)) ?? (await da.token('read')) },
    ...(accounts.length > 0 && { daAccounts: accounts.map((name) => da.addressOf(name)) }),
    execution: { url: layer.url },
  };
  const own = [node, layer, ...(shared ? [] : [da])];
  return {
    id,
    da,
    layer,
    node,
    settings,
    stop: async () => {
      for (const each of own) await each.stop();
    },
  };
}

/** When a fault truly began, by the truth logs; `atMs` for a fault that no line names. */
export async function beganAt({ da, layer, node }: FaultWorld, atMs: number): Promise<number> {
  const logs = await Promise.all([da.controlUrl, layer.controlUrl, node.url].map(readTruth));
  const times = logs
    .flatMap((text) => text.trim().split('\n'))
    .filter((line) => BEGINNINGS.test(line))
    .map((line) => Date.parse((JSON.parse(line) as { at: string }).at))
    .filter((at) => at >= atMs);
  return times.length === 0 ? atMs : Math.min(...times);
}

/** Empty for a rollup node that stopped itself. */
async function readTruth(url: string): Promise<string> {
  try {
    return await (await fetch(`${url}/dev/truth`)).text();
  } catch {
    return '';
  }
}
