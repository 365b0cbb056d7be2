import { join } from 'node:path';
import type { DevnodeOptions } from '../devnode/devnode-options.js';
import { startDevnode, type Devnode } from '../devnode/devnode.js';
import { SCENARIOS } from '../devnode/scenario.js';
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
  close(): Promise<void>;
}

const FIRST_PORT = 17_331;
/** Distance from a node's port to the next node's port. */
const PORT_STEP = 10;

const PLAN = [
  { id: 'alpha', chainId: 'demo-alpha', about: 'an aggregator in good health' },
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
export async function startDemoNodes(directory: string, firstPort?: number): Promise<DemoNodes> {
  const list: DemoNode[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(list.map(({ node }) => node.stop()));
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
        ...(id === 'alpha-follower' && leader && { follow: leader.node.url }),
      };
      const node = await (firstPort === undefined ? startOnFreePort(options) : startOnPort(options));
      list.push({ id, about, node });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { list, close };
}

async function startOnPort(options: DevnodeOptions): Promise<Devnode> {
  try {
    return await startDevnode(options);
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error;
    throw new UserError(
      `Port ${options.port} or ${options.statusPort} is in use.`,
      'Choose another --node-port; 0 picks free ports.',
      1,
      { cause: error },
    );
  }
}

async function startOnFreePort(options: DevnodeOptions): Promise<Devnode> {
  try {
    return await startDevnode(options);
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') {
      throw error;
    }
    return startDevnode({ ...options, port: 0, statusPort: 0 });
  }
}
