import { create, type Message } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from '@connectrpc/connect';
import type { UniversalHandler } from '@connectrpc/connect/protocol';
import { compressionGzip } from '@connectrpc/connect-node';
import type { BlockShape } from '../domain/node-interface/known-block.js';
import { METHODS, type Call } from './messages.js';
import { printSpecification } from './spec-json.js';

/** A request for a call, with its whole body. */
export interface CallRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
  /** The shape of JSON answers. */
  readonly shape: BlockShape;
}

/** An answer to a call. Its trailers follow the body. */
export interface CallAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly trailers: Readonly<Record<string, string>>;
}

/** The result of a call: a message, by the names of its members. */
export interface CallResult {
  readonly message: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Names of unknown members. */
  readonly missing?: readonly string[];
  /**
   * Why the message is incomplete. Protobuf and its JSON cannot express an unknown member: a client would read zero or nothing.
   * The call is therefore refused with this reason, except in the JSON of the specification, which omits such members.
   */
  readonly incomplete?: string | undefined;
}

/** The requested block. Height 0 means the newest one. */
export type BlockQuestion = { readonly height: bigint } | { readonly hash: Uint8Array };

export interface CallParameters {
  /** The key for GetMetadata; empty if the request names none. */
  readonly key: string;
  /** The block for GetBlock; undefined if the request names none. */
  readonly block: BlockQuestion | undefined;
}

/** @throws ConnectError that the caller receives instead */
export type CallHandler = (parameters: CallParameters) => Promise<CallResult>;

/** The most bytes of a request's message, uncompressed: our messages are names and numbers. */
const MOST_BYTES = 1_048_576;

interface Errand {
  readonly work: CallHandler;
  readonly isSpecification: boolean;
  result?: { readonly whole: Message; readonly missing: readonly string[] };
}

const ERRAND = createContextKey<Errand | undefined>(undefined);

const HANDLERS = createHandlers();

/** Answers a call in its protocol: Connect, gRPC or gRPC-Web, as JSON or protobuf. */
export async function answerCall(call: Call, request: CallRequest, work: CallHandler): Promise<CallAnswer> {
  const handler = HANDLERS.get(call);
  if (!handler) throw new Error(`There is no call ${call}.`);
  const { headers, method } = request;
  const isJson = /^application\/json\b/.test(String(headers['content-type'] ?? ''));
  const isSpecification = request.shape === 'specification' && isJson;
  const errand: Errand = { work, isSpecification };
  const answer = await handler({
    // Matters only to streaming calls, and there are none.
    httpVersion: '1.1',
    method,
    url: `http://node/${call}`,
    header: toHeaders(isSpecification ? { ...headers, 'accept-encoding': undefined } : headers),
    body: pieceOf(isJson ? withHashInBase64(request.body) : request.body),
    signal: new AbortController().signal,
    contextValues: createContextValues().set(ERRAND, errand),
  });
  const { 'content-length': _length, ...sent } = Object.fromEntries(answer.header ?? []);
  const { result } = errand;
  if (isSpecification && result && answer.status === 200) {
    const text = printSpecification(handler.method.output, result.whole, result.missing);
    return { status: 200, headers: sent, body: Buffer.from(text), trailers: {} };
  }
  return {
    status: answer.status,
    headers: { ...sent, ...SAID_WITHOUT_A_BODY[answer.status] },
    body: await join(answer.body),
    trailers: Object.fromEntries(answer.trailer ?? []),
  };
}

const TYPES = [
  'json',
  'proto',
  'grpc',
  'grpc+json',
  'grpc+proto',
  'grpc-web',
  'grpc-web+json',
  'grpc-web+proto',
];

/** Headers of responses by status. */
const SAID_WITHOUT_A_BODY: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  405: { allow: 'POST' },
  415: { 'accept-post': TYPES.map((type) => `application/${type}`).join(', ') },
};

function createHandlers(): ReadonlyMap<Call, UniversalHandler> {
  const router = createConnectRouter({ acceptCompression: [compressionGzip], readMaxBytes: MOST_BYTES });
  return new Map(
    [...METHODS].map(([call, method]) => {
      const run = async (request: Message, { values, responseHeader }: HandlerContext): Promise<Message> => {
        const errand = values.get(ERRAND);
        if (!errand) throw new ConnectError('nobody answers', Code.Internal);
        const {
          message,
          headers = {},
          missing = [],
          incomplete,
        } = await errand.work(readParameters(request));
        if (incomplete !== undefined && !errand.isSpecification) {
          throw new ConnectError(incomplete, Code.Unavailable, headers);
        }
        for (const [name, value] of Object.entries(headers)) responseHeader.set(name, value);
        const whole: Message = create(method.output, message as Record<string, unknown>);
        errand.result = { whole, missing };
        return whole;
      };
      // The last one is the one just added.
      return [call, router.rpc(method, run).handlers.at(-1) as UniversalHandler] as const;
    }),
  );
}

function readParameters(request: Message): CallParameters {
  const { key = '', identifier } = request as Message & {
    readonly key?: string;
    readonly identifier?: { readonly case?: 'height' | 'hash'; readonly value?: bigint | Uint8Array };
  };
  const { case: kind, value } = identifier ?? {};
  return { key, block: kind === undefined ? undefined : ({ [kind]: value } as unknown as BlockQuestion) };
}

function toHeaders(given: CallRequest['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    // The length belongs to the original body.
    const isOurs = name.startsWith(':') || name === 'content-length';
    if (value !== undefined && !isOurs) headers.set(name, String(value));
  }
  return headers;
}

/** The specification shows hashes in hex, and clients may send what it shows; the JSON of protobuf uses base64. */
function withHashInBase64(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body).toString('latin1');
  const found = /("hash"\s*:\s*")(?:0x)?([0-9a-f]{64})"/i.exec(text);
  if (!found) return body;
  const [whole, before, hex = ''] = found;
  return Buffer.from(
    text.replace(whole, `${before}${Buffer.from(hex, 'hex').toString('base64')}"`),
    'latin1',
  );
}

// eslint-disable-next-line @typescript-eslint/require-await -- the library asks for a stream
async function* pieceOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function join(pieces: AsyncIterable<Uint8Array> = pieceOf(new Uint8Array())): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
