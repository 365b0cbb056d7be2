import type { HttpResponse, HttpResult } from '../platform/http-messages.js';
import {
  describeStatus,
  isHtml,
  type NodeAnswer,
  readObjectAnswer,
  refused,
  type Refused,
  unreachable,
} from './answer.js';
import { BLOB, SMALL } from './limits.js';
import type { NodeServer } from './node-server.js';
import { fromAnyHex } from './wire-bytes.js';
import { readHeight, readText, readUint64, type WireObject } from './wire-values.js';

/** What a node says of its DA layer, `/da/health` or `/da/stats`. */
export interface DaDocument {
  readonly json: WireObject;
  /** The body as sent; bytes that are no UTF-8 replaced, and then all of it in base64 beside it. */
  readonly text: string;
  readonly original?: string;
}

/** One blob that the node fetched from the DA layer for us. */
export interface DaBlob {
  readonly height: bigint;
  /** Lower-case hex, 32 bytes at a real node. */
  readonly commitment: string;
  readonly sizeBytes: bigint;
  readonly content: Buffer;
}

/** Where to look up a version's name when a DA endpoint is missing: only old versions never had any. */
export interface VersionHint {
  findPrefix(signal?: AbortSignal): Promise<string | null>;
}

/** The DA endpoints beside the list of submissions. */
export class DaDocumentsClient {
  constructor(
    private readonly server: NodeServer,
    private readonly version: VersionHint,
  ) {}

  health(signal?: AbortSignal): Promise<NodeAnswer<DaDocument>> {
    return this.document('/da/health', signal);
  }

  stats(signal?: AbortSignal): Promise<NodeAnswer<DaDocument>> {
    return this.document('/da/stats', signal);
  }

  /**
   * Fetches one blob through the node. A real node needs `namespace` (58 hex digits) once the blob's row has
   * left its list. It calls an absent blob an internal error: that is `MISSING` here.
   */
  async blob(id: string, namespace?: string, signal?: AbortSignal): Promise<NodeAnswer<DaBlob>> {
    const query = new URLSearchParams({ id, ...(namespace !== undefined && { namespace }) });
    const result = await this.server.get(`/da/blob?${query.toString()}`, BLOB, signal);
    const response = await this.goodResponse(result, signal);
    if ('state' in response) {
      const isAbsent = response.status !== 503 && /not.found/i.test(response.evidence ?? '');
      return isAbsent ? refused(result, 'MISSING', 'the node cannot find this blob') : response;
    }
    return readObjectAnswer(response, readBlob, 'blob is not an object');
  }

  private async document(path: string, signal?: AbortSignal): Promise<NodeAnswer<DaDocument>> {
    const response = await this.goodResponse(await this.server.get(path, SMALL, signal), signal);
    if ('state' in response) return response;
    return readObjectAnswer(response, (json, { text, original }) => ({
      json,
      text,
      ...(original !== undefined && { original }),
    }));
  }

  private async goodResponse(result: HttpResult, signal?: AbortSignal): Promise<HttpResponse | Refused> {
    if (result.kind === 'failure') return unreachable(result);
    return (await refuseByStatus(result, this.version, signal)) ?? result;
  }
}

/**
 * What the status of a DA endpoint means; undefined for a good one. 404 is a version without DA monitoring, or one
 * where it is switched off; only `rollkit.v1` has none at all. 503 with the node's own text is switched off, too.
 * Based sequencers and P2P followers say so although it is enabled.
 */
export async function refuseByStatus(
  response: HttpResponse,
  version: VersionHint,
  signal?: AbortSignal,
): Promise<Refused | undefined> {
  const { status, body } = response;
  if (status === 200 || status === 204) return undefined;
  if (status === 404) {
    const prefix = await version.findPrefix(signal);
    return prefix === 'rollkit.v1'
      ? refused(response, 'NOT_SUPPORTED', 'this version has no DA monitoring (404 under rollkit.v1)')
      : refused(response, 'DISABLED', 'no DA monitoring at this address (404)');
  }
  const text = body.toString('latin1', 0, 1_024);
  if (status === 503 && !isHtml(body) && /not (available|enabled)|disabled/i.test(text)) {
    return refused(response, 'DISABLED', 'DA monitoring is switched off (503)');
  }
  return refused(response, 'INVALID', describeStatus(response));
}

function readBlob(json: WireObject): DaBlob {
  return {
    height: readHeight(json, 'height'),
    commitment: fromAnyHex(readText(json, 'commitment'), 'commitment').toString('hex'),
    sizeBytes: readUint64(json, 'size'),
    content: fromAnyHex(readText(json, 'content'), 'content'),
  };
}
