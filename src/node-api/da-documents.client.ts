import type { HttpResponse, HttpResult } from '../platform/http-messages.js';
import { daForm, isWebPage, saysSwitchedOff, type AnswerForm } from '../domain/node-interface/answer-form.js';
import {
  describeStatus,
  describeStranger,
  isHtml,
  type NodeAnswer,
  readObjectAnswer,
  refused,
  type Refused,
  unreachable,
} from './answer.js';
import { BLOB, SMALL } from './limits.js';
import type { NodeServer } from './node-server.js';
import { Doubt, type NodeWitness } from './node-witness.js';
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
  private readonly doubt: Doubt;

  constructor(
    private readonly server: NodeServer,
    private readonly version: VersionHint,
    witness: NodeWitness,
  ) {
    this.doubt = new Doubt(witness);
  }

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
      return isAbsent(response) ? refused(result, 'MISSING', 'the node cannot find this blob') : response;
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
    if (result.status === 200 || result.status === 204) {
      const isNodes = await this.doubt.isNodes(formOf(result), signal);
      return isNodes ? result : refuseStranger(result, 'where JSON is due');
    }
    return refuseByStatus(result, { version: this.version, doubt: this.doubt }, signal);
  }
}

/** The form of an answer of a DA endpoint, by its status and the start of its body. */
export function formOf({ status, body }: HttpResponse): AnswerForm {
  return daForm({ status, text: startOf(body) });
}

/** Refuses what came in the node's place. `due` says of a web page what should have been there. */
export function refuseStranger(response: HttpResponse, due: string): Refused {
  const isPage = response.status === 200 && isHtml(response.body);
  return refused(response, 'INVALID', isPage ? `answered a web page ${due}` : describeStranger(response));
}

/**
 * What a DA endpoint says by a status other than 200 and 204. 404 is a version without DA monitoring, or one where it is
 * switched off; only `rollkit.v1` has none at all. 503 with the node's own text means switched off, too. Based sequencers and P2P
 * followers answer 503 although it is enabled. Anybody can answer 404, so it counts only next to an answer that only a node gives.
 */
export async function refuseByStatus(
  response: HttpResponse,
  { version, doubt }: { readonly version: VersionHint; readonly doubt: Doubt },
  signal?: AbortSignal,
): Promise<Refused> {
  const { status } = response;
  const isOff = status === 503 && saysSwitchedOff(startOf(response.body));
  if (status !== 404 && !isOff) return refused(response, 'INVALID', describeStatus(response));
  if (!(await doubt.isNodes(formOf(response), signal))) {
    return refused(response, 'INVALID', describeStranger(response));
  }
  if (isOff) return refused(response, 'DISABLED', 'no DA monitoring (503)');
  const prefix = await version.findPrefix(signal);
  return prefix === 'rollkit.v1'
    ? refused(
        response,
        'NOT_SUPPORTED',
        'this version of the node has no DA monitoring (404 under rollkit.v1)',
      )
    : refused(response, 'DISABLED', 'no DA monitoring at this address (404)');
}

const FORM_BYTES = 2_048;

function startOf(body: Buffer): string {
  return body.toString('latin1', 0, FORM_BYTES);
}

/** Whether the node says that it cannot find a blob; a 404 of somebody else says nothing. */
function isAbsent({ status, state, evidence = '' }: Refused): boolean {
  const isNodes = status !== 503 && !(status === 404 && state === 'INVALID') && !isWebPage(evidence);
  return isNodes && /not.found/i.test(evidence);
}

function readBlob(json: WireObject): DaBlob {
  return {
    height: readHeight(json, 'height'),
    commitment: fromAnyHex(readText(json, 'commitment'), 'commitment').toString('hex'),
    sizeBytes: readUint64(json, 'size'),
    content: fromAnyHex(readText(json, 'content'), 'content'),
  };
}
