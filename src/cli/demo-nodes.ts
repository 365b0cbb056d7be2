import { join } from 'node:path';
import { DA_SCRIPTS } from '../devnode/da-script.js';
import type { DevnodeOptions } from '../devnode/devnode-options.js';
import { startDevnode, type Devnode } from '../devnode/devnode.js';
import { codeOf } from '../platform/errors.js';

/** A node of the demo. Its id stays the same over demos, also when its port does not. */
export interface DemoNode {
  id: string;
  /** What is worth looking at, in a few words. */
  about: string;
  node: Devnode;
}

/** The nodes of the demo, and their common end. */
export interface DemoNodes {
  list: DemoNode[];
  close(): Promise<void>;
}

const PLAN = [
  { id: 'alpha', chainId: 'demo-alpha', port: 17331, about: 'an aggregator in good health' },
  { id: 'beta', chainId: 'demo-beta', port: 17341, about: 'an aggregator whose DA layer fails now and then' },
  { id: 'alpha-follower', chainId: 'demo-alpha', port: 17351, about: 'a full node that follows alpha' },
] as const;

/** The chains that they show. */
export const DEMO_CHAINS: readonly string[] = [...new Set(PLAN.map(({ chainId }) => chainId))];

/**
 * Starts the three nodes of the demo. Their chains lie in `directory`, a folder each, and go on where the last demo
 * left them. A port that is in use is replaced by a free one.
 */
export async function startDemoNodes(directory: string): Promise<DemoNodes> {
  const list: DemoNode[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(list.map(({ node }) => node.stop()));
  };
  try {
    for (const { id, about, ...plan } of PLAN) {
      const leader = list.find((each) => each.id === 'alpha');
      const node = await startOnFreePort({
        chainId: plan.chainId,
        port: plan.port,
        statusPort: plan.port + 1,
        dataDirectory: join(directory, id),
        daScript: id === 'beta' ? DA_SCRIPTS.flaky : DA_SCRIPTS.steady,
        ...(id === 'alpha-follower' && leader && { follow: leader.node.url }),
      });
      list.push({ id, about, node });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { list, close };
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
