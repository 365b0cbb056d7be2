import { Code, ConnectError } from '@connectrpc/connect';
import { toBlockMessage, toBytes, toTimestamp } from '../node-service/block-message.js';
import { answerCall, type CallParameters, type CallResult } from '../node-service/call.js';
import { METHODS, type Call } from '../node-service/messages.js';
import { nextAppHash, type ChainBlock } from './block-factory.js';
import type { MetadataKey } from './chain-store.js';
import { PAGE_NOT_FOUND, type DevnodeAnswer, type NodeRequest } from './http-server.js';
import { proposerAddress, type NodeView } from './node-view.js';

const NOT_THERE = 'datastore: key not found';

/** The specification only names GetBlock; the real node adds the rest. */
const CALLS: Readonly<Partial<Record<Call, (view: NodeView, parameters: CallParameters) => object>>> = {
  'StoreService/GetBlock': getBlock,
  'StoreService/GetState': getState,
  'StoreService/GetMetadata': getMetadata,
  'StoreService/GetGenesisDaHeight': (view) => ({ height: requireMetadata(view, 'gdh') }),
  'StoreService/GetP2PStoreInfo': getP2PStoreInfo,
  'ConfigService/GetNamespace': getNamespace,
  'ConfigService/GetSignerInfo': (view) => ({ address: toBytes(proposerAddress(view)) }),
  'P2PService/GetNetInfo': getNetInfo,
  'P2PService/GetPeerInfo': () => ({}),
};

export async function answerConnect(view: NodeView, request: NodeRequest): Promise<DevnodeAnswer> {
  const prefix = `/${view.service}.`;
  const name = request.path.startsWith(prefix) ? request.path.slice(prefix.length) : '';
  const call = [...METHODS.keys()].find((each) => each === name);
  const answer = call && CALLS[call];
  if (!call || !answer || (view.shape === 'specification' && answer !== getBlock)) return PAGE_NOT_FOUND;
  const { status, headers, body, trailers } = await answerCall(
    call,
    { ...request, body: request.bytes, shape: view.shape },
    async (parameters): Promise<CallResult> => ({ message: answer(view, parameters) }),
  );
  return { status, body, headers, trailers };
}

/**
 * The real node finds a block by the hash of its signed header, and height 0 is its newest block. The specification says neither:
 * in its shape the hash is the one that the chain itself uses, and height 0 does not exist.
 */
function getBlock({ chain, shape }: NodeView, { block: wanted }: CallParameters): object {
  if (!wanted) {
    throw new ConnectError('invalid or unsupported identifier type provided', Code.InvalidArgument);
  }
  if ('hash' in wanted) {
    const hash = Buffer.from(wanted.hash).toString('hex');
    const found = chain.findByHash(hash, shape === 'connect' ? 'signedHash' : 'hash');
    const reason = `failed to load height from index failed to get height for hash [${wanted.hash.join(' ')}]`;
    return toBlockMessage(found ?? refuseBlock(reason));
  }
  const isNewest = wanted.height === 0n && shape === 'connect';
  if (isNewest && !chain.head)
    throw new ConnectError('failed to get latest height: no blocks', Code.NotFound);
  return toBlockMessage(
    (isNewest ? chain.head : chain.find(wanted.height)) ?? refuseBlock('load block header'),
  );
}

function refuseBlock(reason: string): never {
  throw new ConnectError(`failed to retrieve block data: ${reason}: ${NOT_THERE}`, Code.Internal);
}

function getState(view: NodeView): object {
  const { head } = view.chain;
  const daHeight = view.isAggregator
    ? view.chain.getMetadata('gdh')
    : view.chain.find(view.chain.getMetadata('d') ?? 0n)?.headerDaHeight;
  return {
    state: {
      version: {},
      chainId: view.chainId,
      initialHeight: 1n,
      lastBlockHeight: head?.header.height,
      lastBlockTime: head && toTimestamp(head.header.timeNs),
      daHeight: daHeight ?? undefined,
      // The application's hash after the block; the header has the one before it.
      appHash: toBytes(head && nextAppHash(head)),
      nextProposerAddress: toBytes(proposerAddress(view)),
    },
  };
}

function getMetadata(view: NodeView, { key }: CallParameters): object {
  const value = Buffer.alloc(8);
  value.writeBigUInt64LE(requireMetadata(view, key));
  return { value };
}

function requireMetadata(view: NodeView, key: string): bigint {
  const value = findMetadata(view, key);
  if (value !== undefined) return value;
  throw new ConnectError(`failed to get metadata for key '${key}': ${NOT_THERE}`, Code.NotFound);
}

function findMetadata(view: NodeView, key: string): bigint | undefined {
  const [, height, part] = /^rhb\/(\d{1,18})\/([hd])$/.exec(key) ?? [];
  if (height !== undefined) {
    const block = view.chain.find(BigInt(height));
    return (part === 'h' ? block?.headerDaHeight : block?.dataDaHeight) ?? undefined;
  }
  const known: readonly MetadataKey[] = view.isAggregator
    ? ['d', 'gdh', 'last-submitted-header-height', 'last-submitted-data-height']
    : ['d', 'gdh'];
  const name = known.find((each) => each === key);
  return name && view.chain.getMetadata(name);
}

function getP2PStoreInfo({ chain: { head, oldest } }: NodeView): object {
  const describe = (block: ChainBlock | undefined, hash: 'hash' | 'fullDataHash') =>
    block && {
      height: block.header.height,
      hash: toBytes(block[hash]),
      time: toTimestamp(block.header.timeNs),
    };
  const describeStore = (label: string, hash: 'hash' | 'fullDataHash') => ({
    label,
    height: head?.header.height,
    head: describe(head, hash),
    tail: head && describe(oldest, hash),
  });
  return { stores: [describeStore('Header Store', 'hash'), describeStore('Data Store', 'fullDataHash')] };
}

function getNamespace({ namespaces: { header, data } }: NodeView): object {
  return { headerNamespace: `0x${header}`, dataNamespace: `0x${data}` };
}

function getNetInfo({ peerId }: NodeView): object {
  return { netInfo: { id: peerId, listenAddresses: [`/ip4/127.0.0.1/tcp/7676/p2p/${peerId}`] } };
}
