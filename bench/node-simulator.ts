/**
 * Simulates many nodes, each on its own port and with its own chain, as a process of the benches `many-nodes` and `requests`.
 * Each node makes a block every block time and submits its parts at once. Counts the requests to each node.
 */
import { SystemClock } from '../src/platform/clock.js';
import { readOptions, serveParent } from './support/child.js';
import { listenRaw } from './support/raw-server.js';
import { StaticNode } from './support/static-node.js';
import { submissionAt } from './support/submission-texts.js';

export interface SimulatedNode {
  readonly chainId: string;
  /** Number of blocks at the start. */
  readonly blocks: number;
  readonly blockTimeMs: number;
  /** Whether the node makes no blocks after the start. */
  readonly isStill?: boolean;
}

/** The answer to any message: requests since the last message, by chain and endpoint. */
export type RequestCounts = Record<string, Record<string, number>>;

const RING = 100;
const clock = new SystemClock();
let counts: RequestCounts = {};

const ports: number[] = [];
for (const [index, plan] of (readOptions() as SimulatedNode[]).entries()) {
  const node = new StaticNode(clock, plan.chainId, plan.blockTimeMs);
  const startMs = clock.now() - RING * 1_000;
  node.fillRing(Array.from({ length: RING }, (_, row) => submissionAt(index, row, startMs).text));
  for (let made = 0; made < plan.blocks; made += 100) node.produce(Math.min(100, plan.blocks - made));
  const { port } = await listenRaw((request) => {
    const path = request.path.replace(/\?.*/, '').replace(/^\/evnode\.v1\.(Store|Config)Service/, '');
    const own = (counts[plan.chainId] ??= {});
    own[path] = (own[path] ?? 0) + 1;
    return node.answer(request);
  });
  ports.push(port);
  if (plan.isStill) continue;
  // Random delays keep nodes from making blocks at the same time.
  setTimeout(() => {
    setInterval(() => node.produce(1), plan.blockTimeMs);
  }, Math.random() * plan.blockTimeMs);
}

serveParent(ports, () => {
  const answer = counts;
  counts = {};
  return answer;
});
