import { ExecutionApi, type ExecutionBlock } from '../../src/node-api/execution-api.js';
import { NodeApi } from '../../src/node-api/node-api.js';
import { ExecutionComparison } from '../../src/observe/systems/execution-comparison.js';
import { HttpClient } from '../../src/platform/http.js';
import { ManualClock } from '../support/manual-clock.js';
import { loadRecordedRollup, numberOf, OTHER_CHAIN } from '../support/recorded-rollup.js';
import { startReplayNode } from '../support/replay-node.js';
import { replayGeth } from '../support/replay-systems.js';

const rollup = loadRecordedRollup();
const END_MS = rollup.startMs + rollup.lengthMs;

describe('the states of the recorded rollup', () => {
  const http = new HttpClient();
  const clock = new ManualClock(END_MS);
  let blocks: ExecutionBlock[];
  let close: () => Promise<unknown>;
  let compare: (execution: ExecutionApi) => ExecutionComparison;
  let geth: ExecutionApi;

  beforeAll(async () => {
    const node = await startReplayNode({ file: rollup.node, now: () => rollup.lengthMs });
    const replay = await replayGeth(rollup, clock);
    const api = new NodeApi(http, clock, { url: node.url });
    geth = new ExecutionApi(http, clock, { url: replay.url });
    compare = (execution) => new ExecutionComparison(execution, api, new AbortController().signal);
    close = () => Promise.all([node.close(), replay.close(), http.close()]);
    blocks = [];
    for (const { t, params, body } of rollup.geth.all('eth_getBlockByNumber')) {
      const isOther = t >= OTHER_CHAIN.from && t < OTHER_CHAIN.to;
      if (isOther || !String(params[0]).startsWith('0x')) continue;
      const block = await geth.block(numberOf(body));
      if (block.ok && block.value) blocks.push(block.value);
    }
  }, 60_000);

  afterAll(() => close());

  const newest = { height: '189', appHash: '' };

  it('are those that the next header names: 201 of 201', async () => {
    const comparison = compare(geth);
    const compared = [];
    for (const block of blocks.filter(({ number }) => number < 189n))
      compared.push(await comparison.atHead(block, newest));
    expect(compared).toHaveLength(201);
    expect(compared.filter((each) => each === null || each.stateRoot !== each.appHash)).toEqual([]);
  });

  it.each([1n, 2n, 34n, 97n, 173n, 188n])('differ first at %i, which halving finds', async (first) => {
    const altered = {
      block: async (which: bigint | 'latest', signal?: AbortSignal) => {
        const answer = await geth.block(which, signal);
        if (!answer.ok || answer.value === null || answer.value.number < first) return answer;
        return { ok: true as const, value: { ...answer.value, stateRoot: 'ff'.repeat(32) } };
      },
    } as ExecutionApi;
    const comparison = compare(altered);
    for (const agreed of [0n, first - 1n, first, 180n])
      expect(await comparison.firstDifference(188n, agreed)).toBe(String(first));
  });
});
