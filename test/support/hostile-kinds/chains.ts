import { startDevnode } from '../../../src/devnode/devnode.js';
import type { DevnodeOptions } from '../../../src/devnode/devnode-options.js';
import { HIGHEST_HEIGHT } from '../../../src/domain/bounds.js';
import { startBlockNode } from '../block-node.js';
import { buildChain } from '../chain-builder.js';
import { startDamagingProxy } from '../damaging-proxy.js';
import { startSharedAddress } from '../hostile-nodes.js';
import { sendWhole, startRewritingProxy } from '../rewriting-proxy.js';
import { closing, hostileAt, pick, type Circumstances, type Closable, type Hostile } from './hostile.js';

const FAR_HEIGHTS = ['18446744073709551615', '9223372036854775807', String(HIGHEST_HEIGHT), '1'];

/**
 * A chain that begins just below the highest possible height, so that all lower heights are pruned. The DA heights of its blocks
 * fall, leap and repeat, some blocks cannot be read, and its counters are beyond all heights.
 */
export async function heights({ random }: Circumstances): Promise<Hostile> {
  const node = await startBlockNode();
  const wild = (n: number): bigint => BigInt(random() < 0.4 ? pick(FAR_HEIGHTS, random) : 5_000 - n);
  let blocks = buildChain({ chainId: 'heights-1', count: 0 });
  const grow = (): void => {
    const longer = buildChain({
      chainId: 'heights-1',
      after: blocks,
      count: 3,
      firstHeight: HIGHEST_HEIGHT - 9_999n,
    });
    blocks = longer.map((block, n) =>
      n < blocks.length ? block : { ...block, headerDaHeight: wild(n), dataDaHeight: wild(n) },
    );
    const unreadable = blocks[blocks.length - 1 - Math.floor(3 * random())]?.header.height ?? 0n;
    node.oddAnswers.set(unreadable, { status: 200, body: '{"block":[]}' });
    node.metadata.set('d', 2n ** 64n - 1n).set('last-submitted-header-height', 2n ** 63n);
    node.blocks = blocks;
  };
  grow();
  const address = await startRewritingProxy(node.url, (answer, response, { path }) => {
    if (!path.endsWith('/GetState')) return sendWhole(answer, response);
    grow();
    const told =
      random() < 0.3
        ? answer.body.toString().replace(/"lastBlockHeight":"\d+"/, `"lastBlockHeight":"${2n ** 64n - 1n}"`)
        : answer.body;
    sendWhole({ ...answer, body: Buffer.from(told) }, response);
  });
  return hostileAt(address, node);
}

/** Claims the chain of the well-behaved node, with its own rows and its own unsigned blocks. */
export async function impostor({ chain }: Circumstances): Promise<Hostile> {
  const node = await startNode({ chainId: chain, seed: 'impostor' });
  const address = await startRewritingProxy(node.url, (answer, response, { path }) => {
    if (!path.endsWith('/GetBlock')) return sendWhole(answer, response);
    const unsigned = answer.body.toString().replace(/"signature":"[^"]*",/, '');
    sendWhole({ ...answer, body: Buffer.from(unsigned) }, response);
  });
  return hostileAt(address, node);
}

/** Two nodes of two chains behind one address, which alternates at every request. */
export async function balanced(): Promise<Hostile> {
  const left = await startNode({ chainId: 'left-1' });
  const right = await startNode({ chainId: 'right-1' });
  const address = await startSharedAddress([left, right]);
  address.answers = 'TURNS';
  return { url: address.url, asked: () => address.asked(), close: closing(address, left, right) };
}

/** A well-behaved node, a third of whose answers are damaged on the way. */
export async function damaged({ random }: Circumstances): Promise<Hostile> {
  const node = await startNode({ chainId: 'damaged-1' });
  const proxy = await startDamagingProxy(node.url, 0.33, random);
  return { url: proxy.url, asked: () => proxy.damaged(), close: closing(proxy, node) };
}

async function startNode(options: DevnodeOptions): Promise<Closable & { readonly url: string }> {
  const node = await startDevnode({ blockTimeMs: 500, daBlockTimeMs: 500, ...options });
  return { url: node.url, close: () => node.stop() };
}
