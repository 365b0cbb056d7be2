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
import { AnswerVerifier, type NodeWitness } from './node-witness.js';
import { fromAnyHex } from './wire-bytes.js';
import { readHeight, readText, readUint64, type WireObject } from './wire-values.js';

/** A JSON object as a node sent it, such as the answer of `/da/health` or `/da/stats`. */
export interface DaDocument {
  readonly json: WireObject;
  /** The body as sent. Bytes that are not UTF-8 are replaced; in that case `original` is the body in base64. */
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

/** Finds a version's prefix when a DA endpoint is missing: only old versions never had DA endpoints. */
export interface VersionHint {
  findPrefix(signal?: AbortSignal): Promise<string | null>;
}

/** The DA endpoints other than the list of submissions. */
export class DaDocumentsClient {
  private readonly doubt: AnswerVerifier;

  constructor(
    private readonly server: NodeServer,
    private readonly version: VersionHint,
    witness: NodeWitness,
  ) {
    this.doubt = new AnswerVerifier(witness);
  }

  health(signal?: AbortSignal): Promise<NodeAnswer<DaDocument>> {
    return this.document('/da/health', signal);
  }

  stats(signal?: AbortSignal): Promise<NodeAnswer<DaDocument>> {
    return this.document('/da/stats', signal);
  }

  /**
   * Fetches one blob through the node. A real node needs `namespace` (58 hex digits) once the blob's row has left its list. It
   * reports an absent blob as an internal error, which becomes `MISSING` here.
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

/** Refuses an answer that did not come from the node. `due` says what was expected in place of a web page. */
export function refuseStranger(response: HttpResponse, due: string): Refused {
  const isPage = response.status === 200 && isHtml(response.body);
  return refused(response, 'INVALID', isPage ? `answered a web page ${due}` : describeStranger(response));
}

/**
 * Refuses an answer of a DA endpoint with a status other than 200 and 204. 404 comes from a version without DA monitoring, or
 * with DA monitoring switched off; only `rollkit.v1` has none at all. 503 with the node's own text also means switched off.
 * Based sequencers and P2P followers answer 503 although it is enabled. Any server can answer 404, so it counts only together
 * with an answer that only a node gives.
 */
export async function refuseByStatus(
  response: HttpResponse,
  { version, doubt }: { readonly version: VersionHint; readonly doubt: AnswerVerifier },
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

/** Whether the node says that it cannot find a blob; a 404 from another server says nothing. */
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
