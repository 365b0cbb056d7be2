import { METHODS, type Call } from '../../node-service/messages.js';
import { NO_STANDING, pageNotFound, type NodeAnswer } from './node-answer.js';

const SERVICE = /^[A-Za-z0-9_.]{1,100}\.([A-Za-z0-9]+Service)$/;

/** Undefined where a node has no such method. */
export function findCall(service: string, method: string): Call | undefined {
  const name = `${SERVICE.exec(service)?.[1]}/${method}`;
  return [...METHODS.keys()].find((call) => call === name);
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
export const NOT_POST: NodeAnswer = {
  status: 405,
  type: 'text/plain',
  body: '',
  headers: { allow: 'POST' },
  ...NO_STANDING,
};
