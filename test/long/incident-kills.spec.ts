import { expectWaitsAtLeast } from '../support/rig/expect-incident.js';
import { recordFaults, type RiggedRecord } from '../support/rig/rigged-record.js';

const FROZEN = { fault: 'frozen', atMs: 90_000, forMs: 240_000 } as const;
const KILLS = [
  { atMs: 170_000, forMs: 50_000 },
  { atMs: 380_000, forMs: 45_000 },
] as const;

/** `test/integration/incident-kills.spec.ts` has a freeze that ends while nothing is monitored. */
describe('a freeze during which Hindsight was killed, also in the calm after it', () => {
  let record: RiggedRecord;

  beforeAll(async () => {
    record = await recordFaults([{ id: 'frozen', scenario: { steps: [FROZEN] } }], 700_000, KILLS);
  }, 300_000);

  afterAll(() => record?.stop());

  it('reports a lower bound of how long blocks waited', async () => {
    const all = (await record.getIncidents('frozen')).filter(({ component }) => component === 'DA');
    expect(all).toHaveLength(1);
    for (const incident of all) await expectWaitsAtLeast(record, incident, FROZEN.forMs);
  });
});
