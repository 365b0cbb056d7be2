import { NO_STANDING, pageNotFound, type NodeAnswer } from './node-answer.js';

/** What the real node can be called for, under any prefix. */
const CALLS = [
  'StoreService/GetBlock',
  'StoreService/GetState',
  'StoreService/GetMetadata',
  'StoreService/GetGenesisDaHeight',
  'StoreService/GetP2PStoreInfo',
  'StoreService/GetNamespace',
  'ConfigService/GetNamespace',
  'ConfigService/GetSignerInfo',
  'P2PService/GetPeerInfo',
  'P2PService/GetNetInfo',
] as const;
export type Call = (typeof CALLS)[number];

const SERVICE = /^[A-Za-z0-9_.]{1,100}\.([A-Za-z0-9]+Service)$/;

/** Undefined where a node has no such method. */
export function findCall(service: string, method: string): Call | undefined {
  const name = `${SERVICE.exec(service)?.[1]}/${method}`;
  return CALLS.find((call) => call === name);
}

/** Under `/nodes/{id}/`: service and method of a call, else nothing. */
const UNDER_NODE = /^\/nodes\/[^/?]+\/(?:([^/?]+)\/([^/?]+))?/;

/** What a node says where no route takes a request; undefined of a path that is none of a node. */
export function refuseAsNode(url: string | undefined): NodeAnswer | undefined {
  const found = UNDER_NODE.exec(url ?? '');
  if (!found) return undefined;
  return findCall(found[1] ?? '', found[2] ?? '') === undefined ? pageNotFound() : NOT_POST;
}

/** The answer to a call by another method than POST, as the Connect protocol has it. */
export const NOT_POST = emptyAnswer(405, { allow: 'POST' });
/** To a body in another encoding than the one that we have. */
export const NOT_JSON = emptyAnswer(415, { 'accept-post': 'application/json' });

function emptyAnswer(status: number, headers: NodeAnswer['headers'] = {}): NodeAnswer {
  return { status, type: 'text/plain', body: '', headers, ...NO_STANDING };
}
