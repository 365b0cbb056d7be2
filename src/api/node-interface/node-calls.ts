import { METHODS, type Call } from '../../node-service/messages.js';
import { NO_PROVENANCE, pageNotFound, type ServedAnswer } from './node-answer.js';

const SERVICE = /^[A-Za-z0-9_.]{1,100}\.([A-Za-z0-9]+Service)$/;

/** The call of a service's method; undefined where nodes have no such method. */
export function findCall(service: string, method: string): Call | undefined {
  const name = `${SERVICE.exec(service)?.[1]}/${method}`;
  return [...METHODS.keys()].find((call) => call === name);
}

/** Captures service and method of a call under `/nodes/{id}/`; no captures for other paths. */
const UNDER_NODE = /^\/nodes\/[^/?]+\/(?:([^/?]+)\/([^/?]+))?/;

/** A node's response where no route accepts a request; undefined for a path that is not a node's. */
export function refuseAsNode(url: string | undefined): ServedAnswer | undefined {
  const found = UNDER_NODE.exec(url ?? '');
  if (!found) return undefined;
  return findCall(found[1] ?? '', found[2] ?? '') === undefined ? pageNotFound() : NOT_POST;
}

/** The response to a call by another method than POST, by the Connect protocol. */
export const NOT_POST: ServedAnswer = {
  status: 405,
  type: 'text/plain',
  body: '',
  headers: { allow: 'POST' },
  ...NO_PROVENANCE,
};
