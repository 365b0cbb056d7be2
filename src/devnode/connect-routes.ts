import { blockToJson, withoutEmpty } from '../domain/node-interface/block-json.js';
import type { ChainBlock } from './block-factory.js';
import type { MetadataKey } from './chain-store.js';
import {
  internal,
  notFound,
  parseBlockRequest,
  parseConnectBody,
  type ConnectError,
} from '../domain/node-interface/connect-request.js';
import { jsonAnswer, PAGE_NOT_FOUND, type NodeAnswer, type NodeRequest } from './http-server.js';
import { formatNanoseconds } from '../domain/node-interface/go-time.js';
import { proposerAddress, type NodeView } from './node-view.js';

type Method = (view: NodeView, body: string) => NodeAnswer;

/** The specification names GetBlock alone; the rest is what the real node adds. */
const METHODS: Record<string, Method> = {
  'StoreService/GetBlock': getBlock,
  'StoreService/GetState': getState,
  'StoreService/GetMetadata': getMetadata,
  'StoreService/GetGenesisDaHeight': getGenesisDaHeight,
  'StoreService/GetP2PStoreInfo': getP2PStoreInfo,
  'ConfigService/GetNamespace': getNamespace,
  'ConfigService/GetSignerInfo': getSignerInfo,
  'P2PService/GetNetInfo': getNetInfo,
  'P2PService/GetPeerInfo': () => jsonAnswer({}),
};

/** Answers a call of the Connect protocol: POST with JSON only. */
export function answerConnect(view: NodeView, request: NodeRequest): NodeAnswer {
  const prefix = `/${view.service}.`;
  const name = request.path.startsWith(prefix) ? request.path.slice(prefix.length) : '';
  const method = METHODS[name];
  if (!method || (view.shape === 'specification' && method !== getBlock)) return PAGE_NOT_FOUND;
  if (request.method !== 'POST') return { status: 405, body: '' };
  if (!/^application\/json\b/.test(request.contentType)) return { status: 415, body: '' };
  return method(view, request.body);
}

/**
 * The real node finds a block by the hash of its signed header, and height 0 is its newest; the specification says
 * neither, so there a hash is the one that the chain itself uses, in hex as blocks show it, and height 0 is a block that
 * is not there.
 */
function getBlock(view: NodeView, body: string): NodeAnswer {
  const wanted = parseBlockRequest(body);
  const { chain, shape } = view;
  if (wanted.kind === 'refused') return refusal(wanted.error);
  if (wanted.kind === 'height') {
    const isNewest = wanted.height === 0n && shape === 'connect';
    if (isNewest && !chain.head) return refusal(notFound('failed to get latest height: no blocks'));
    const found = isNewest ? chain.head : chain.find(wanted.height);
    return found ? shown(found) : refusal(internal('load block header: datastore: key not found'));
  }
  const found =
    shape === 'connect'
      ? chain.findByHash(Buffer.from(wanted.hash).toString('hex'), 'signedHash')
      : chain.findByHash(wanted.text.toLowerCase().replace(/^0x/, ''), 'hash');
  const reason = `failed to load height from index failed to get height for hash [${[...wanted.hash].join(' ')}]`;
  return found ? shown(found) : refusal(internal(`${reason}: datastore: key not found`));

  function shown(block: ChainBlock): NodeAnswer {
    return jsonAnswer(blockToJson(block, shape));
  }
}

function getState(view: NodeView): NodeAnswer {
  const { head } = view.chain;
  const daHeight = view.isAggregator
    ? view.chain.getMetadata('gdh')
    : view.chain.find(included(view))?.headerDaHeight;
  return jsonAnswer({
    state: withoutEmpty({
      version: {},
      chainId: view.chainId,
      initialHeight: '1',
      lastBlockHeight: String(head?.header.height ?? 0n),
      ...(head && { lastBlockTime: formatNanoseconds(head.header.timeNs) }),
      daHeight: String(daHeight ?? 0n),
      appHash: base64(head?.header.appHash ?? ''),
      nextProposerAddress: base64(proposerAddress(view)),
    }),
  });
}

function getMetadata(view: NodeView, body: string): NodeAnswer {
  const parsed = parseConnectBody(body, 'GetMetadataRequest');
  if ('error' in parsed) return refusal(parsed.error);
  const key = typeof parsed.fields['key'] === 'string' ? parsed.fields['key'] : '';
  const value = findMetadata(view, key);
  if (value === undefined) {
    return refusal(notFound(`failed to get metadata for key '${key}': datastore: key not found`));
  }
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return jsonAnswer({ value: bytes.toString('base64') });
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

function getGenesisDaHeight(view: NodeView): NodeAnswer {
  const height = view.chain.getMetadata('gdh');
  return height === undefined
    ? refusal(notFound("failed to get metadata for key 'gdh': datastore: key not found"))
    : jsonAnswer({ height: String(height) });
}

function getP2PStoreInfo(view: NodeView): NodeAnswer {
  const { head, oldest } = view.chain;
  const describe = (block: ChainBlock | undefined, hash: 'hash' | 'fullDataHash') =>
    block && {
      height: String(block.header.height),
      hash: base64(block[hash]),
      time: formatNanoseconds(block.header.timeNs),
    };
  const describeStore = (label: string, hash: 'hash' | 'fullDataHash') => ({
    label,
    ...(head && { height: String(head.header.height) }),
    ...(head && { head: describe(head, hash), tail: describe(oldest, hash) }),
  });
  return jsonAnswer({
    stores: [describeStore('Header Store', 'hash'), describeStore('Data Store', 'fullDataHash')],
  });
}

function getNamespace(view: NodeView): NodeAnswer {
  return jsonAnswer({
    headerNamespace: `0x${view.namespaces.header}`,
    dataNamespace: `0x${view.namespaces.data}`,
  });
}

function getSignerInfo(view: NodeView): NodeAnswer {
  return jsonAnswer({ address: base64(proposerAddress(view)) });
}

function getNetInfo(view: NodeView): NodeAnswer {
  return jsonAnswer({
    netInfo: { id: view.peerId, listenAddresses: [`/ip4/127.0.0.1/tcp/7676/p2p/${view.peerId}`] },
  });
}

function included(view: NodeView): bigint {
  return view.chain.getMetadata('d') ?? 0n;
}

function refusal(error: ConnectError): NodeAnswer {
  return jsonAnswer({ code: error.code, message: error.message }, error.status);
}

function base64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}
