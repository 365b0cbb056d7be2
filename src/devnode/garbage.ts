import type { DevnodeAnswer } from './http-server.js';
import { seededBytes, seededInteger } from './seeded-random.js';

const PAGE = '<!DOCTYPE html>\n<html><body><h1>502 Bad Gateway</h1></body></html>\n';

/**
 * Replaces an answer with garbage, as from a broken node or a broken proxy in front of it.
 *
 * @param answer the proper answer
 * @param label selects the kind of garbage, together with the seed
 */
export function spoil(answer: DevnodeAnswer, seed: string, label: number): DevnodeAnswer {
  const type = 'application/json';
  const body = Buffer.from(answer.body);
  const kinds: readonly DevnodeAnswer[] = [
    { status: 200, type, body: seededBytes(300, seed, 'garbage', label) },
    // The extra brace makes half of a very short answer invalid too.
    { status: 200, type, body: Buffer.concat([Buffer.from('{'), body.subarray(0, body.length / 2)]) },
    { status: 200, type: 'text/html', body: PAGE },
    { status: 200, type, body: '[[null,{"submissions":7}]]' },
    { status: 500, type: 'text/plain', body: 'panic: runtime error: index out of range\n' },
  ];
  return kinds[seededInteger(kinds.length, seed, 'kind', label)] ?? { status: 500, body: '' };
}
