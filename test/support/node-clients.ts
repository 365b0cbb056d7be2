import type { DescMethodUnary, Message } from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { METHODS, type Call } from '../../src/node-service/messages.js';

const gzipped = { sendCompression: compressionGzip, compressMinBytes: 0 };

/** Every way in which a client can speak to a node, by name. */
export function transportsTo(baseUrl: string): ReadonlyMap<string, Transport> {
  const over1 = { baseUrl, httpVersion: '1.1' } as const;
  const over2 = { baseUrl, httpVersion: '2' } as const;
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

/** What a call is answered; rejects with a ConnectError. */
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
