import { HttpClient } from '../platform/http.js';
import type { HttpLimits } from '../platform/http-messages.js';
import { blockFromText, blockToText, type BlockText } from './block-text.js';
import type { ChainStore } from './chain-store.js';
import type { BlobSource } from './da-layer.js';
import { jsonAnswer, type DevnodeAnswer, type NodeRequest } from './http-server.js';
import type { NodeView } from './node-view.js';

/** Blocks and inclusions that a follower does not have yet. */
interface SyncPage {
  blocks: BlockText[];
  included: [height: string, headerDaHeight: string, dataDaHeight: string][];
  genesisDaHeight: string | null;
}

const PAGE_SIZE = 500;
const LIMITS: HttpLimits = { bodyBytes: 256 * 1_048_576, headersMs: 5_000, totalMs: 5_000 };
/** Never closed: its idle sockets keep no process alive. `fetch` would unpack Brotli, whatever was requested. */
const http = new HttpClient();

/** Answers a follower that has the blocks up to `after`, and knows inclusions up to `included`. */
export function answerSync(view: NodeView, request: NodeRequest): DevnodeAnswer {
  const { chain } = view;
  const after = heightIn(request, 'after');
  const included = heightIn(request, 'included');
  const known = chain.getMetadata('d') ?? 0n;
  const page: SyncPage = {
    blocks: [],
    included: [],
    genesisDaHeight: chain.getMetadata('gdh')?.toString() ?? null,
  };
  for (let height = after + 1n; page.blocks.length < PAGE_SIZE; height += 1n) {
    const block = chain.findStored(height);
    if (!block) break;
    page.blocks.push({ ...blockToText(block), daHeights: null });
  }
  for (let height = included + 1n; height <= known && page.included.length < PAGE_SIZE; height += 1n) {
    const block = chain.findStored(height);
    page.included.push([String(height), String(block?.headerDaHeight), String(block?.dataDaHeight)]);
  }
  return jsonAnswer(page);
}

/** Answers a follower with the content of a blob. */
export async function answerSyncBlob(view: NodeView, request: NodeRequest): Promise<DevnodeAnswer> {
  const content = await view.blobs.findBlob(
    request.query.get('id') ?? '',
    request.query.get('namespace') ?? '',
  );
  return jsonAnswer({ content: content ? Buffer.from(content).toString('hex') : null });
}

/**
 * Copies what the devnode at `url` has and `chain` lacks. An unreachable source changes nothing; a block that does not continue
 * the chain throws.
 *
 * @param isFrozen copies blocks, but no inclusions
 */
export async function syncOnce(
  url: string,
  chain: ChainStore,
  isFrozen: boolean,
  signal: AbortSignal,
): Promise<void> {
  const after = chain.head?.header.height ?? 0n;
  const page = await fetchJson<SyncPage>(
    `${url}/devnode/sync?after=${after}&included=${chain.getMetadata('d') ?? 0n}`,
    signal,
  );
  for (const text of page?.blocks ?? []) {
    const block = blockFromText(text);
    const { height, lastHeaderHash } = block.header;
    if (lastHeaderHash !== (chain.head?.hash ?? '') || height !== (chain.head?.header.height ?? 0n) + 1n) {
      throw new Error(`Block ${height} of ${url} does not continue the chain of this follower.`);
    }
    chain.append(block);
  }
  if (isFrozen) return;
  for (const [height, headerDaHeight, dataDaHeight] of page?.included ?? []) {
    if (chain.findStored(BigInt(height))) {
      chain.setIncluded(BigInt(height), BigInt(headerDaHeight), BigInt(dataDaHeight));
      chain.setMetadata('d', BigInt(height));
    }
  }
  if (page?.genesisDaHeight) chain.setMetadata('gdh', BigInt(page.genesisDaHeight));
}

/** The DA layer of the node that is followed. */
export class RemoteBlobs implements BlobSource {
  constructor(private readonly url: string) {}

  async findBlob(blobId: string, namespace: string): Promise<Uint8Array | undefined> {
    const query = new URLSearchParams({ id: blobId, namespace });
    const page = await fetchJson<{ content: string | null }>(`${this.url}/devnode/blob?${query.toString()}`);
    return page?.content ? Buffer.from(page.content, 'hex') : undefined;
  }
}

async function fetchJson<T>(url: string, signal?: AbortSignal): Promise<T | undefined> {
  const answer = await http.request({ url, limits: LIMITS, ...(signal && { signal }) });
  if (answer.kind === 'failure' || answer.status !== 200) return undefined;
  try {
    return JSON.parse(answer.body.toString('utf8')) as T;
  } catch {
    return undefined;
  }
}

function heightIn(request: NodeRequest, name: string): bigint {
  const text = request.query.get(name) ?? '';
  return /^\d{1,18}$/.test(text) ? BigInt(text) : 0n;
}
