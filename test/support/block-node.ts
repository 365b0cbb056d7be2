import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DecodedBlock } from '../../src/domain/blocks/block.js';
import { writeBlock } from './chain-builder.js';

/** An answer instead of a block: a custom answer, a closed connection, a silent connection, or half of the block. */
export type OddAnswer = { readonly status: number; readonly body: string } | 'CLOSED' | 'SILENT' | 'CUT';

/** A node whose every block the test decides. */
export interface BlockNode {
  readonly url: string;
  /** Its blocks, lowest first; tests may replace them. */
  blocks: readonly DecodedBlock[];
  /** Answers given instead of a block, by height. */
  readonly oddAnswers: Map<bigint, OddAnswer>;
  /** The answer to each request for a block; null: the blocks. */
  gateway: OddAnswer | null;
  /** The reported oldest height of its header store; null: not reported. */
  oldest: bigint | null;
  /** Counters of its metadata. */
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
      const found = isOurs ? answer(node, method, text) : { status: 404, body: '404 page not found' };
      if (found === 'SILENT') return;
      if (found === 'CLOSED') return void request.socket.destroy();
      const type = { 'content-type': isOurs ? 'application/json' : 'text/plain' };
      if (found !== 'CUT') return void response.writeHead(found.status, type).end(found.body);
      response.writeHead(200, { ...type, 'content-length': 4_000 }).write('{"block":{"header":{"signed');
      setImmediate(() => request.socket.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const node: BlockNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    blocks: [],
    oddAnswers: new Map(),
    gateway: null,
    oldest: null,
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

function answer(node: BlockNode, method: string, text: string): OddAnswer {
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
  if (method === 'GetP2PStoreInfo') {
    const time = '2026-11-21T00:00:00Z';
    const tail = node.oldest !== null && { tail: { height: String(node.oldest), hash: '', time } };
    return {
      status: 200,
      body: JSON.stringify({ stores: tail ? [{ label: 'Header Store', ...tail }] : [] }),
    };
  }
  if (method === 'GetBlock') return answerBlock(node, asked);
  return { status: 404, body: '{"code":"unimplemented","message":"unimplemented"}' };
}

function answerBlock(node: BlockNode, asked: bigint): OddAnswer {
  const odd = node.gateway ?? node.oddAnswers.get(asked);
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
