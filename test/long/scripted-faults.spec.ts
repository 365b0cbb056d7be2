import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { groupByCause, type Following } from '../../src/dashboard/data/follows.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { FAULTS } from '../support/faults/faults.js';
import {
  beganAt,
  POLL_MS,
  startWorld,
  type FaultWorld,
  type ScriptedFault,
} from '../support/faults/scripted-fault.js';
import { ServiceHome, type ServiceProcess } from '../support/service-process.js';

interface Shown extends Following {
  readonly reason: string;
  readonly remedy: string;
  readonly position: string;
  readonly causes: readonly { readonly cause: { readonly code: string } }[];
}

interface ShownBalance {
  readonly amount: string | null;
  readonly daHeight: string | null;
}

/** Long enough for ten DA blocks and 60 rollup blocks after the start of the service. */
const WARM_UP_MS = 75_000;
const FAULTS_LAST_MS = 75_000;
/** For a machine that runs all rollups and the service. */
const SLACK_MS = 4_000;

describe('faults of the systems behind rollup nodes, by a script', () => {
  const worlds = new Map<string, FaultWorld>();
  let home: ServiceHome;
  let database: TestDatabase;
  let service: ServiceProcess;
  let log: Client;
  let atMs: number;
  let before: readonly Shown[];
  let after: readonly Shown[];

  const readIncidents = async (): Promise<readonly Shown[]> => {
    const query = `{ incidents(filter: { open: true }, first: 40) { nodes {
      id chain component severity rule from lastSignAt runbook reason remedy position nodes { nodeId } causes { cause { code } } } } }`;
    return (await service.graphql<{ incidents: { nodes: Shown[] } }>(query)).incidents.nodes;
  };

  beforeAll(async () => {
    home = new ServiceHome();
    database = await startEmptyDatabase();
    atMs = Date.now() + WARM_UP_MS;
    for (const each of FAULTS) worlds.set(each.id, await startWorld(each, atMs, worlds));
    const config = join(home.dataDir, 'hindsight.yaml');
    const nodes = [...worlds.values()].map(({ settings }) => settings);
    const chains = FAULTS.map(({ id }) => ({ id: `${id}-1`, thresholds: { daNodeBehindAfter: '3s' } }));
    writeFileSync(config, JSON.stringify({ nodes, chains }));
    service = home.launch(['start', '--config', config, '--port', '0'], { databaseUrl: database.url });
    await service.ready;
    log = new Client({ connectionString: database.url });
    await log.connect();
    await sleep(Math.max(0, atMs - Date.now()));
    before = await readIncidents();
    const begun = FAULTS.map(({ id, begin }) => begin?.(worlds.get(id) as FaultWorld));
    await Promise.all([...begun, sleep(FAULTS_LAST_MS)]);
    after = await readIncidents();
  }, 600_000);

  afterAll(async () => {
    await log?.end();
    await Promise.all([...worlds.values()].map((world) => world.stop()));
    await home?.clear();
    await database?.stop();
  }, 120_000);

  it('begin while all is well', () => {
    expect(before.map(({ nodes, rule }) => `${nodes[0]?.nodeId} ${rule}`)).toEqual([]);
  });

  it.each(FAULTS)('$fault ($id): one incident, its source and its remedy', async ({ id, expected }) => {
    const own = after.filter(({ nodes }) => nodes.some(({ nodeId }) => nodeId === id));
    const groups = groupByCause(own, () => null);
    const shown = groups.map(({ incident, following }) => [incident, ...following].map(describeIncident));
    expect({ shown, groups: groups.length }).toEqual({ shown, groups: 1 });
    const { incident, following } = groups[0] as { incident: Shown; following: readonly Shown[] };
    const { rule, component, severity = 'CRITICAL', reason = /./, failing } = expected;
    expect(incident).toMatchObject({
      component,
      severity,
      rule: expect.stringMatching(rule) as unknown,
      reason: expect.stringMatching(reason) as unknown,
    });
    const failed = [incident, ...following].find((each) => each.component === 'DA');
    expect(failed?.causes[0]?.cause.code).toBe(failing?.code);
    if (failing) expect(failed?.remedy).toMatch(failing.remedy);
  });

  it.each(FAULTS.filter(({ expected }) => expected.waitsMs !== null))(
    '$fault ($id): reported within two polls',
    async ({ id, expected, sharesDaOf }: ScriptedFault) => {
      const own = after.find(
        ({ nodes, component }) =>
          component === expected.component && nodes.some(({ nodeId }) => nodeId === id),
      );
      const began = await beganAt(worlds.get(sharesDaOf ?? id) as FaultWorld, atMs);
      const { rows } = await log.query<{ at: string }>(
        'SELECT (extract(epoch FROM observed_at) * 1000)::float8 AS at FROM event WHERE position = $1',
        [own?.position ?? '0'],
      );
      const lateMs = Number(rows[0]?.at) - began;
      const mostMs = (expected.waitsMs ?? 0) + 2 * POLL_MS[expected.component] + SLACK_MS;
      expect({ lateMs, mostMs, isLate: lateMs > mostMs }).toEqual({ lateMs, mostMs, isLate: false });
      expect(lateMs).toBeGreaterThan(0);
    },
  );

  it.each([
    ['slowly', 'node'],
    ['drained', 'node'],
    ['granter', 'granter'],
    ['shared', 'node'],
  ])('the account of %s has the balances of the truth log, each once', async (id, name) => {
    const world = worlds.get(id) as FaultWorld;
    const address = world.da.addressOf(name);
    const { accounts } = await service.graphql<{ accounts: { balances: { nodes: ShownBalance[] } }[] }>(
      `{ accounts(account: "${address}") { balances(first: 200) { nodes { amount daHeight } } } }`,
    );
    const known = (accounts[0]?.balances.nodes ?? []).flatMap(({ amount, daHeight }) =>
      amount === null || daHeight === null ? [] : [{ amount: BigInt(amount), daHeight: BigInt(daHeight) }],
    );
    const truth = readTruth(world, address);
    expect(known.length).toBeGreaterThan(2);
    expect(known.filter(({ amount, daHeight }) => truth(daHeight) !== amount)).toEqual([]);
    expect(new Set(known.map(({ daHeight }) => daHeight)).size).toBe(known.length);
  });
});

function readTruth({ da }: FaultWorld, account: string): (height: bigint) => bigint | undefined {
  const entries = da.truthText
    .trim()
    .split('\n')
    .map(
      (line) => JSON.parse(line) as { what: string; account: string; daHeight: string; balanceUtia: string },
    )
    .filter((line) => line.what === 'ledger' && line.account === account);
  return (height) => {
    const last = entries.findLast(({ daHeight }) => BigInt(daHeight) <= height);
    return last && BigInt(last.balanceUtia);
  };
}

function describeIncident({ component, rule, severity, reason, causes }: Shown): string {
  return `${component} ${rule} ${severity} (${causes.map(({ cause }) => cause.code).join()}): ${reason}`;
}
