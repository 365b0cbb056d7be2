import { toJson, type DescMethodUnary, type Message } from '@bufbuild/protobuf';
import { Code, ConnectError, type Interceptor, type Transport } from '@connectrpc/connect';
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { METHODS, type Call } from '../../src/node-service/messages.js';

const gzipped = { sendCompression: compressionGzip, compressMinBytes: 0 };

/**
 * Every transport between a client and a node, by name.
 *
 * @param query sent with each call, such as `?at=…`
 */
export function transportsTo(baseUrl: string, query = ''): ReadonlyMap<string, Transport> {
  const withQuery: Interceptor = (next) => (request) => next({ ...request, url: request.url + query });
  const common = { baseUrl, interceptors: [withQuery] };
  const over1 = { ...common, httpVersion: '1.1' } as const;
  const over2 = { ...common, httpVersion: '2' } as const;
  return new Map([
    ['Connect with JSON', createConnectTransport({ ...over1, useBinaryFormat: false })],
    ['Connect with JSON, gzipped', createConnectTransport({ ...over1, useBinaryFormat: false, ...gzipped })],
    ['Connect with protobuf', createConnectTransport({ ...over1, useBinaryFormat: true })],
    [
      'Connect with protobuf, gzipped',
      createConnectTransport({ ...over1, useBinaryFormat: true, ...gzipped }),
    ],
    ['Connect over HTTP/2', createConnectTransport({ ...over2, useBinaryFormat: true })],
    ['gRPC-Web', createGrpcWebTransport({ ...over1, useBinaryFormat: true })],
    ['gRPC-Web over HTTP/2', createGrpcWebTransport({ ...over2, useBinaryFormat: true, ...gzipped })],
    ['gRPC', createGrpcTransport({ ...over2, useBinaryFormat: true })],
    ['gRPC, gzipped', createGrpcTransport({ ...over2, useBinaryFormat: true, ...gzipped })],
    ['gRPC with JSON', createGrpcTransport({ ...over2, useBinaryFormat: false })],
    ['gRPC over HTTP/1', createGrpcTransport({ ...over1, useBinaryFormat: true })],
  ]);
}

/** The answer to a call; rejects with a ConnectError. */
export async function callBy(
  transport: Transport,
  call: Call,
  input: object = {},
  headers: Record<string, string> = {},
): Promise<{ readonly message: Message & Record<string, unknown>; readonly header: Headers }> {
  const method = METHODS.get(call) as DescMethodUnary;
  const { message, header } = await transport.unary(method, undefined, 5_000, headers, input as never);
  return { message, header };
}

/** The answer to a call as the JSON of its message, or the code and the message of its refusal. */
export async function outcomeOf(transport: Transport, call: Call, input: object = {}): Promise<unknown> {
  try {
    const { message } = await callBy(transport, call, input);
    return toJson((METHODS.get(call) as DescMethodUnary).output, message);
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    return { refused: Code[error.code], message: error.rawMessage };
  }
}
