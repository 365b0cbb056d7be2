/** A process of the bench `backfill`: a node whose chain does not grow, with every answer prepared before it listens. */
import { SystemClock } from '../src/platform/clock.js';
import { readOptions, serveParent } from './support/child.js';
import { listenRaw, type RawRequest } from './support/raw-server.js';
import { StaticNode } from './support/static-node.js';

const { blocks } = readOptions() as { blocks: number };
const node = new StaticNode(new SystemClock(), 'bench-1', 1_000);
for (let made = 0; made < blocks; made += 100) node.produce(Math.min(100, blocks - made));

const answers = new Map<string, Buffer>();
const keyOf = ({ method, path, body }: RawRequest): string => `${method} ${path} ${body}`;
let bytes = 0;
for (let height = 1; height <= blocks; height++) {
  const request = { method: 'POST', path: '/evnode.v1.StoreService/GetBlock', body: `{"height":${height}}` };
  const answer = await node.answer(request);
  bytes += answer.length;
  answers.set(keyOf(request), answer);
}

const { port } = await listenRaw((request) => answers.get(keyOf(request)) ?? node.answer(request));
serveParent({ port, bytesPerBlock: bytes / blocks });
