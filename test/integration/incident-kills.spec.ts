import { recordFaults, type RiggedRecord, type ToldIncident } from '../support/rig/rigged-record.js';

const FROZEN = { fault: 'frozen', atMs: 90_000, forMs: 240_000 } as const;
/** It ends while nobody looks. */
const THAWED = { fault: 'frozen', atMs: 90_000, forMs: 110_000 } as const;
const FUNDS = { fault: 'funds', atMs: 240_000, forMs: 60_000 } as const;
/** In the freezes; and in the calm that ends the other trouble. */
const KILLS = [
  { atMs: 170_000, forMs: 50_000 },
  { atMs: 380_000, forMs: 45_000 },
] as const;
const LENGTH_MS = 700_000;

describe('incidents in which Hindsight itself was killed', () => {
  let record: RiggedRecord;
  const incidentOf = async (node: string): Promise<ToldIncident> => {
    const all = (await record.getIncidents(node)).filter(({ component }) => component === 'DA');
    expect(all).toHaveLength(1);
    return all[0] as ToldIncident;
  };

  beforeAll(async () => {
    const nodes = [
      { id: 'frozen', scenario: { steps: [FROZEN] } },
      { id: 'thawed', scenario: { steps: [THAWED] } },
      { id: 'funds', scenario: { steps: [FUNDS] } },
    ];
    record = await recordFaults(nodes, LENGTH_MS, KILLS);
  });

  afterAll(() => record?.stop());

  it.each([
    ['goes on behind the kill', 'frozen', FROZEN],
    ['ends in it', 'thawed', THAWED],
  ] as const)('tell of a freeze that %s how long blocks waited at least', async (_, node, fault) => {
    const incident = await incidentOf(node);
    expect([incident.subject, incident.to === null]).toEqual(['FINALITY', false]);
    const to = incident.to ?? '';
    const waits = (await record.getFigures(incident, to))['waits'] as Readonly<
      Record<string, string | number>
    >;
    const truly = record.truths.get(node)?.waitsIn(Date.parse(incident.from), Date.parse(to), {
      end: record.endMs,
      limitMs: Number(waits['limitMs']),
      seenAfterMs: 5_000,
    });
    if (!truly) throw new Error(`nothing is known of ${node}`);
    expect(Number(waits['unknown'])).toBeGreaterThan(50);
    for (const name of ['delayed', 'transactionsDelayed', 'p95Ms', 'maxMs'] as const)
      expect(Number(waits[name])).toBeLessThanOrEqual(truly[name]);
    expect(truly.maxMs).toBeGreaterThan(fault.forMs - 10_000);
    // Its node says once a minute how far inclusion has come; what it said in the minute of the kill may be lost.
    expect(Number(waits['maxMs'])).toBeGreaterThan(fault.forMs - 100_000);
  });

  it('end when the calm began, not when somebody looked again', async () => {
    const incident = await incidentOf('funds');
    const sinceStart = (time: string | null): number => Date.parse(time ?? '') - record.endMs + LENGTH_MS;
    expect(sinceStart(incident.from)).toBeGreaterThan(FUNDS.atMs);
    expect(sinceStart(incident.to)).toBeGreaterThan(FUNDS.atMs + FUNDS.forMs);
    expect(sinceStart(incident.to)).toBeLessThan(KILLS[1].atMs);
  });
});
