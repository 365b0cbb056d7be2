import type { Clock } from '../platform/clock.js';
import type { BlockShape } from '../domain/node-interface/known-block.js';
import { toNamespace } from '../domain/node-interface/namespace.js';
import type { BlockPart, ChainStore } from './chain-store.js';
import type { BlobSource } from './da-layer.js';
import type { DevnodeOptions } from './devnode-options.js';
import { createSigner, type Signer } from './signer.js';
import type { SubmissionRing } from './submission-ring.js';
import type { Millis } from '../domain/time.js';

export interface NodeView {
  chain: ChainStore;
  ring: SubmissionRing;
  blobs: BlobSource;
  clock: Clock;
  /** The node's key for the chain; a follower guesses the proposer by it until it has a block. */
  proposer: Signer;
  /** The node's own name in the peer-to-peer network. */
  peerId: string;
  /** 29 bytes in hex. */
  namespaces: Record<BlockPart, string>;
  chainId: string;
  isAggregator: boolean;
  /** `disabled` answers 503, `absent` 404 as an old node does. */
  daMonitoring: 'on' | 'disabled' | 'absent';
  shape: BlockShape;
  /** Prefix of the Connect services, such as `evnode.v1`. */
  service: string;
  blockTimeMs: Millis;
}

export const DEFAULT_SEED = 'devnode';

/** Adds to a node's parts what follows from its options. */
export function createView(
  options: DevnodeOptions,
  parts: Pick<NodeView, 'chain' | 'ring' | 'blobs' | 'clock'>,
): NodeView {
  const { chainId, seed = DEFAULT_SEED, shape = 'connect' } = options;
  const isAggregator = options.follow === undefined;
  const proposer = createSigner(`${seed} ${chainId}`);
  return {
    ...parts,
    chainId,
    shape,
    isAggregator,
    proposer,
    peerId: isAggregator ? proposer.peerId : createSigner(`${seed} ${chainId} follower`).peerId,
    namespaces: { header: toNamespace(`${chainId} header`), data: toNamespace(`${chainId} data`) },
    daMonitoring: options.daMonitoring ?? 'on',
    service: options.service ?? (shape === 'connect' ? 'evnode.v1' : 'node.v1'),
    blockTimeMs: options.blockTimeMs ?? 1_000,
  };
}

/** Milliseconds since the newest block; `Infinity` before the first. */
export function ageOfHead(view: NodeView): number {
  const { head } = view.chain;
  return head ? view.clock.now() - Number(head.header.timeNs / 1_000_000n) : Infinity;
}

/** SHA-256 of the proposer's key, lower-case hex. */
export function proposerAddress(view: NodeView): string {
  return view.chain.head?.header.proposerAddress ?? view.proposer.address;
}
