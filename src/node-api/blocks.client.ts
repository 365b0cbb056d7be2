import type { DecodedBlock } from '../domain/blocks/block.js';
import type { NodeShape } from '../domain/events.js';
import type { HttpResponse } from '../platform/http-messages.js';
import { answered, describeStatus, type NodeAnswer, readJson, refused } from './answer.js';
import type { ConnectService } from './connect-service.js';
import { decodeBlock } from './decode-block.js';
import { BLOCK } from './limits.js';
import type { NodeWitness } from './node-witness.js';

/** A block by height, by hash (hex; the node's own index, see below), or the newest block. */
export type BlockSelector = { readonly height: bigint } | { readonly hash: string } | 'latest';

/** A node's error text for a block that it lacks: pruned, not produced yet, unknown hash, or an empty store. */
const NO_SUCH_BLOCK = /not.?found|no such|does not exist|doesn't exist|unknown (block|height|hash)|pruned/i;

/** `GetBlock`. */
export class BlocksClient {
  private lastShape: NodeShape | null = null;

  constructor(
    private readonly service: ConnectService,
    private readonly witness: NodeWitness,
  ) {}

  /** The shape of the last block; null before the first block. */
  get shape(): NodeShape | null {
    return this.lastShape;
  }

  /**
   * Reads one block. A height that the node lacks (pruned, or not produced yet) is `missing`; a real node reports it as an
   * internal error. A real node finds a block only by the hash of the stored signed header, not by the header hash that the
   * chain itself uses.
   * @param limits of this answer, if the caller knows how large it can be
   */
  async block(
    selector: BlockSelector,
    signal?: AbortSignal,
    limits = BLOCK,
  ): Promise<NodeAnswer<DecodedBlock>> {
    const json = writeSelector(selector);
    const call = { service: 'StoreService', method: 'GetBlock', json, limits, signal } as const;
    const response = await this.service.call(call);
    return 'ok' in response ? response : this.read(response, selector);
  }

  private read(response: HttpResponse, selector: BlockSelector): NodeAnswer<DecodedBlock> {
    if (response.status !== 200) return refuseBlock(response);
    // A left-out part would look like a block without transactions.
    if (response.leftOut?.includes('block.')) {
      return refused(
        response,
        'INVALID',
        `the record of the block is incomplete: ${response.leftOut} is missing`,
      );
    }
    const body = readJson(response);
    if (!body.ok) return body;
    const decoding = decodeBlock(body.json);
    if (!decoding.ok) return refused(response, 'INVALID', `the block cannot be read: ${decoding.detail}`);
    const { block, shape } = decoding;
    if (typeof selector === 'object' && 'height' in selector && !isBlockAt(block, selector.height)) {
      const detail = `asked for block ${selector.height}, the node answered block ${block.header.height}`;
      return refused(response, 'INVALID', detail);
    }
    this.witness.note();
    this.lastShape = shape;
    return answered(response, block);
  }
}

/** Heights go out as JSON numbers: the specification asks for them, and the real node takes them with all digits. */
function writeSelector(selector: BlockSelector): string {
  if (selector === 'latest') return '{"height":0}';
  if ('height' in selector) return `{"height":${selector.height}}`;
  return JSON.stringify({ hash: Buffer.from(selector.hash, 'hex').toString('base64') });
}

function refuseBlock(response: HttpResponse): NodeAnswer<never> {
  const text = response.body.toString('utf8', 0, 2_048);
  if (response.status === 404 || (response.status < 502 && NO_SUCH_BLOCK.test(text))) {
    return refused(response, 'MISSING', 'the node does not have this block');
  }
  return refused(response, 'INVALID', describeStatus(response));
}

/** A damaged header may name another height. If the data still has the requested height, later checks find the damage. */
function isBlockAt(block: DecodedBlock, height: bigint): boolean {
  return block.header.height === height || block.metadata?.height === height;
}
