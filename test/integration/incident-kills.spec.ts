import { expectWaitsAtLeast } from '../support/rig/expect-incident.js';
import { recordFaults, type RiggedRecord, type ToldIncident } from '../support/rig/rigged-record.js';

/** It ends while Hindsight is away. A freeze that outlasts the kill is in test/long/incident-kills.spec.ts. */
const THAWED = { fault: 'frozen', atMs: 50_000, forMs: 110_000 } as const;
const FUNDS = { fault: 'funds', atMs: 40_000, forMs: 40_000 } as const;
/** The kill falls into the freeze, and into the calm that ends the other trouble. */
const KILL = { atMs: 130_000, forMs: 50_000 } as const;
const LENGTH_MS = 530_000;

describe('incidents in which Hindsight itself was killed', () => {
  let record: RiggedRecord;
  const incidentOf = async (node: string): Promise<ToldIncident> => {
    const all = (await record.getIncidents(node)).filter(({ component }) => component === 'DA');
    expect(all).toHaveLength(1);
    return all[0] as ToldIncident;
  };

  beforeAll(async () => {
    const nodes = [
      { id: 'thawed', scenario: { steps: [THAWED] } },
      { id: 'funds', scenario: { steps: [FUNDS] } },
    ];
    record = await recordFaults(nodes, LENGTH_MS, [KILL]);
  });

  afterAll(() => record?.stop());

  it('report, for a freeze that ends in the kill, how long blocks waited at least', async () => {
    await expectWaitsAtLeast(record, await incidentOf('thawed'), THAWED.forMs);
  });

  it('end when the calm began, not when Hindsight polled again', async () => {
    const incident = await incidentOf('funds');
    const sinceStart = (time: string | null): number => Date.parse(time ?? '') - record.endMs + LENGTH_MS;
    expect(sinceStart(incident.from)).toBeGreaterThan(FUNDS.atMs);
    expect(sinceStart(incident.to)).toBeGreaterThan(FUNDS.atMs + FUNDS.forMs);
    expect(sinceStart(incident.to)).toBeLessThan(KILL.atMs);
  });
});
