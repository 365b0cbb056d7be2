import type { EventStore } from '../../src/event-log/event-store.js';
import { NodeRegistry } from '../../src/observe/node/node-registry.js';
import { SystemObservers } from '../../src/observe/systems/system-observers.js';
import { HttpClient } from '../../src/platform/http.js';
import type { OutgoingRequest, HttpResult } from '../../src/platform/http-messages.js';
import { observeRecorded } from './lived-recording.js';
import type { RecordedRollup } from './recorded-rollup.js';
import { startReplayNode } from './replay-node.js';
import { replayDaNode, replayGeth } from './replay-systems.js';
import { VirtualClock } from './virtual-clock.js';

/** Loops of the node: six subjects, its description, and polls without news. */
const LOOPS = 8;

/** An HTTP client that knows how many of its requests are under way. */
class CountingHttp extends HttpClient {
  underWay = 0;

  override request(request: OutgoingRequest): Promise<HttpResult> {
    this.underWay += 1;
    // A call that follows at once begins before this one is over.
    return super.request(request).finally(() => setImmediate(() => (this.underWay -= 1)));
  }
}

/** Observes a recorded rollup with its DA node and execution layer, over HTTP, from start to end, on a clock without waiting. */
export async function liveThroughRollup(
  store: EventStore,
  { id, rollup, seed }: { readonly id: string; readonly rollup: RecordedRollup; readonly seed: number },
): Promise<void> {
  const { startMs, lengthMs } = rollup;
  const clock = new VirtualClock(startMs);
  const http = new CountingHttp();
  const replay = await startReplayNode({ file: rollup.node, now: () => clock.now() - startMs });
  const [geth, daNode] = await Promise.all([replayGeth(rollup, clock), replayDaNode(rollup, clock)]);
  const node = {
    id,
    url: replay.url,
    record: 'none',
    backfillFrom: 'first',
    daNode: { url: daNode.url, headers: {}, accounts: [] },
    execution: { url: geth.url, headers: {} },
  } as const;
  await new NodeRegistry(store, clock).register(node);
  const systems = new SystemObservers(http, clock);
  const loops = observeRecorded(node, { store, clock, http }, seed, { systems });
  loops.start(1);
  // Balances are read apart from the polls: the clock waits for them, too, unless the DA node holds them.
  const isBusy = (): boolean => http.underWay > daNode.held;
  await clock.advance(startMs + lengthMs, () => (isBusy() ? Infinity : LOOPS + daNode.held));
  await loops.stop();
  await http.close();
  await Promise.all([replay, geth, daNode].map((each) => each.close()));
}
