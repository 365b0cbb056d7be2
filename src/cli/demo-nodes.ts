import { join } from 'node:path';
import { startDaDevnode } from '../devnode/da/da-devnode.js';
import type { DevnodeOptions } from '../devnode/devnode-options.js';
import { startDevnode, type Devnode } from '../devnode/devnode.js';
import { SCENARIOS } from '../devnode/scenario.js';
import type { Millis } from '../domain/time.js';
import { codeOf, UserError } from '../platform/errors.js';

/** A node of the demo. Its id is the same in every demo, even if its port is not. */
export interface DemoNode {
  id: string;
  /** A few words on the behaviour that this node shows. */
  about: string;
  node: Devnode;
}

export interface DemoNodes {
  list: DemoNode[];
  /** The DA node of `alpha`, whose account pays for its submissions, and a token that may read. */
  daNode: { url: string; token: string };
  close(): Promise<void>;
}

const FIRST_PORT = 17_331;
/** Distance from a node's port to the next node's port. */
const PORT_STEP = 10;

const DA_BLOCK_MS: Millis = 3_000;
const DA_GENESIS: Millis = Date.UTC(2026, 0, 1);

const PLAN = [
  { id: 'alpha', chainId: 'demo-alpha', about: 'an aggregator in good health, with a DA node' },
  { id: 'beta', chainId: 'demo-beta', about: 'an aggregator whose DA layer fails now and then' },
  { id: 'alpha-follower', chainId: 'demo-alpha', about: 'a full node that follows alpha' },
] as const;

export const DEMO_CHAINS: readonly string[] = [...new Set(PLAN.map(({ chainId }) => chainId))];

/**
 * Starts the three nodes of the demo. Their chains are in `directory`, in a folder each, and continue from the last demo.
 *
 * @param firstPort port of the first node; 0: free ports; if left out, a port that is in use is replaced by a free port
 * @throws UserError if a requested port is in use
 */
export async function startDemoNodes(directory: string, now: Millis, firstPort?: number): Promise<DemoNodes> {
  const list: DemoNode[] = [];
  const da = await startDaDevnode({
    chainId: 'demo-da',
    // DA heights go on from the last demo, as those of a network do.
    firstHeight: BigInt(Math.floor((now - DA_GENESIS) / DA_BLOCK_MS)),
    blockTimeMs: DA_BLOCK_MS,
  });
  const close = async (): Promise<void> => {
    await Promise.all([da.stop(), ...list.map(({ node }) => node.stop())]);
  };
  try {
    for (const [index, { id, about, chainId }] of PLAN.entries()) {
      const first = firstPort ?? FIRST_PORT;
      const port = first === 0 ? 0 : first + index * PORT_STEP;
      const leader = list.find((each) => each.id === 'alpha');
      const options = {
        chainId,
        port,
        statusPort: port === 0 ? 0 : port + 1,
        dataDirectory: join(directory, id),
        scenario: id === 'beta' ? SCENARIOS.flaky : SCENARIOS.steady,
        ...(id === 'alpha' && { daUrl: da.url, daToken: da.tokens.write }),
        ...(id === 'alpha-follower' && leader && { follow: leader.node.url }),
      };
      list.push({ id, about, node: await start(options, firstPort !== undefined) });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { list, daNode: { url: da.url, token: da.tokens.read }, close };
}

/** @param isAsked whether a person named the port; else a free one replaces it if it is in use */
async function start(options: DevnodeOptions, isAsked: boolean): Promise<Devnode> {
  try {
    return await startDevnode(options);
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error;
    if (!isAsked) return startDevnode({ ...options, port: 0, statusPort: 0 });
    throw new UserError(
      `Port ${options.port} or ${options.statusPort} is in use.`,
      'Choose another --node-port; 0 picks free ports.',
      1,
      { cause: error },
    );
  }
}
