import { recordFaults, type RiggedRecord } from '../support/rig/rigged-record.js';

const AT_MS = 60_000;
const FOR_MS = 90_000;
const LENGTH_MS = 200_000;

/** Chains that halt at different moments between two blocks, some of them on a slow DA layer. */
const NODES = [0, 1, 2, 3].map((index) => ({
  id: `h${index}`,
  options: { chainId: `h${index}-1`, ...(index % 2 === 1 && { daBlockTimeMs: 6_000 }) },
  scenario: { steps: [{ fault: 'halted', atMs: AT_MS + 700 * index, forMs: FOR_MS }] },
}));

describe('a chain that makes no blocks for a while, and then continues', () => {
  let record: RiggedRecord;

  beforeAll(async () => {
    record = await recordFaults(NODES as Parameters<typeof recordFaults>[0], LENGTH_MS);
  }, 300_000);

  afterAll(() => record?.stop());

  it.each(NODES.map(({ id }) => id))(
    'is one incident of its node: its DA layer submits all that there is (%s)',
    async (id) => {
      const incidents = await record.getIncidents(id);
      expect(incidents.map(({ subject, severity, rule }) => [subject, severity, rule])).toEqual([
        ['NODE', 'CRITICAL', 'head-still'],
      ]);
    },
  );
});
