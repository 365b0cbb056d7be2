import { expectOneIncident, POLL_MS } from '../support/rig/expect-incident.js';
import { recordFaults, type RiggedRecord } from '../support/rig/rigged-record.js';

const LENGTH_MS = 110_000;

/** The other faults are in test/long/incident-truth.spec.ts. */
describe('a DA account out of funds, compared with what really happened', () => {
  let record: RiggedRecord;

  beforeAll(async () => {
    const scenario = { steps: [{ fault: 'funds', atMs: 40_000, forMs: 30_000 }] } as const;
    record = await recordFaults([{ id: 'funds', scenario }], LENGTH_MS);
  }, 300_000);

  afterAll(() => record?.stop());

  it('is one incident with its cause, its first sign within two polls, and figures as counted by hand', async () => {
    await expectOneIncident(record, {
      node: 'funds',
      component: 'DA',
      severity: 'CRITICAL',
      rule: 'failing',
      cause: 'OUT_OF_FUNDS',
      remedy: /Fund the DA account.*node\.da\.gas_price/,
      ruleWaitsMs: 0,
      pollMs: POLL_MS.list,
      isOver: false,
      isInclusionKnown: true,
    });
    const [incident] = await record.getIncidents('funds');
    expect(incident).toMatchObject({
      runbook: '/runbooks/failure-causes#out_of_funds',
      command: `hindsight incident ${incident?.id}`,
    });
  });
});
