import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DecodedBlock } from '../../src/domain/blocks/block.js';
import { writeBlock } from './chain-builder.js';

/** A node of which a test decides every block. */
export interface BlockNode {
  readonly url: string;
  /** What it has, lowest first; to be replaced at will. */
  blocks: readonly DecodedBlock[];
  /** Answers given instead of a block, by height. */
  readonly oddAnswers: Map<bigint, { status: number; body: string }>;
  /** Counters of its book-keeping. */
  readonly metadata: Map<string, bigint>;
  /** Methods that it does not offer. */
  readonly missingMethods: Set<string>;
  /** Requests received: `GetBlock 7`, `GetState`. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** Starts a node without blocks. */
export async function startBlockNode(): Promise<BlockNode> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      const method = (request.url ?? '').split('/').at(-1) ?? '';
      const isOurs = request.url?.startsWith('/evnode.v1.') === true && !node.missingMethods.has(method);
      const { status, body } = isOurs
        ? answer(node, method, text)
        : { status: 404, body: '404 page not found' };
      response.writeHead(status, { 'content-type': isOurs ? 'application/json' : 'text/plain' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const node: BlockNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    blocks: [],
    oddAnswers: new Map(),
    metadata: new Map(),
    missingMethods: new Set(),
    requests: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return node;
}

function answer(node: BlockNode, method: string, text: string): { status: number; body: string } {
  const request = JSON.parse(text || '{}') as { key?: string };
  // Heights go beyond what a number of JavaScript holds.
  const asked = BigInt(/"height":"?(\d+)/.exec(text)?.[1] ?? 0);
  const head = node.blocks.at(-1);
  node.requests.push(method === 'GetBlock' ? `GetBlock ${asked}` : method);
  if (method === 'GetState' && head) {
    const { chainId, height, timeNs } = head.header;
    const lastBlockTime = new Date(Number(timeNs / 1_000_000n)).toISOString();
    const state = { chainId, initialHeight: '1', lastBlockHeight: String(height), lastBlockTime };
    return { status: 200, body: JSON.stringify({ state }) };
  }
  if (method === 'GetMetadata') {
    const value = node.metadata.get(request.key ?? '');
    if (value === undefined) return { status: 404, body: '{"code":"not_found","message":"key not found"}' };
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(value);
    return { status: 200, body: JSON.stringify({ value: bytes.toString('base64') }) };
  }
  if (method === 'GetP2PStoreInfo') return { status: 200, body: '{"stores":[]}' };
  if (method === 'GetBlock') return answerBlock(node, asked);
  return { status: 404, body: '{"code":"unimplemented","message":"unimplemented"}' };
}

function answerBlock(node: BlockNode, asked: bigint): { status: number; body: string } {
  const odd = node.oddAnswers.get(asked);
  if (odd) return odd;
  const first = node.blocks[0]?.header.height ?? 0n;
  const block = asked === 0n ? node.blocks.at(-1) : node.blocks[Number(asked - first)];
  if (!block)
    return {
      status: 500,
      body: '{"code":"internal","message":"load block header: datastore: key not found"}',
    };
  return { status: 200, body: writeBlock(block) };
}
