import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToldIncident } from '../support/rig/rigged-record.js';
import { planFaults } from '../../src/devnode/scenario.js';
import { Truth } from '../support/rig/truth.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const SCENARIO = `seed: 1
faults:
  - { fault: funds, at: 6s, for: 12s, jitter: 4s }
`;
const PATIENCE_MS = 240_000;

interface ToldReport {
  readonly attempts: string;
  readonly successes: string;
  readonly failures: string;
  readonly sizeBytes: string;
  readonly causes: readonly { readonly count: string; readonly cause: { readonly code: string } }[];
}

/** A moment between two attempts, far enough from both that rounding cannot move an attempt across it. */
function between(truth: Truth, near: number): number {
  const times = [-Infinity, ...truth.attempts.map(({ at }) => at), Infinity];
  const after = times.findIndex((at, index) => at > near && at - (times[index - 1] ?? at) >= 4);
  const [from, to] = [times[after - 1] ?? near, times[after] ?? near];
  return Math.max(near, from + 2) < to - 2 ? Math.max(near, from + 2) : from + 2;
}

describe('a scenario file, played by one process and observed by another', () => {
  const home = new ServiceHome();
  const truthFile = join(home.dataDir, 'truth.ndjson');
  let service: ServiceProcess;

  afterAll(() => home.clear());

  /** The log of true events, up to its last complete line. */
  const readTruth = (): Truth => {
    const text = readFileSync(truthFile, 'utf8');
    return new Truth(text.slice(0, text.lastIndexOf('\n')));
  };

  beforeAll(async () => {
    const scenario = join(home.dataDir, 'scenario.yaml');
    writeFileSync(scenario, SCENARIO);
    const times = ['--block-time', '300ms', '--da-block-time', '500ms'];
    const ports = ['--port', '0', '--status-port', '0'];
    const given = ['--scenario', scenario, '--seed', '7', '--truth', truthFile];
    const node = home.launch(['devnode', '--chain', 'scenario-1', ...times, ...ports, ...given]);
    const url = await waitFor('the devnode', () => /is ready at (http:\S+)/.exec(node.output)?.[1]);
    service = await home.start(`alpha=${url}`);
  }, PATIENCE_MS);

  it(
    'is reported as the one incident in the log of truth, with its cause and figures',
    async () => {
      const began = await waitFor('the fault', () => readTruth().timesOf('fault-began', 'funds')[0]);
      const ended = await waitFor('its end', () => readTruth().timesOf('fault-ended', 'funds')[0]);
      const incident = await waitFor('the incident, and a success after it', async () => {
        const { incidents } = await service.graphql<{ incidents: { nodes: ToldIncident[] } }>(
          `{ incidents(filter: { subject: DA }) { nodes { id from to lastSignAt severity rule causes { count cause { code } } } } }`,
        );
        const [one] = incidents.nodes as (ToldIncident & { lastSignAt: string | null })[];
        expect(incidents.nodes.length).toBeLessThan(2);
        return one?.lastSignAt === null ? undefined : one;
      });
      expect(incident.causes).toMatchObject([{ cause: { code: 'OUT_OF_FUNDS' } }]);
      const truth = readTruth();
      expect(Date.parse(incident.from)).toBeGreaterThanOrEqual(began);
      expect(Date.parse(incident.from)).toBeLessThan(ended);
      const [from, to] = [between(truth, began), between(truth, ended)];
      const truly = truth.countIn(from, to);
      // Rows are recorded in order: once a row from after the fault is recorded, all rows of the fault are.
      await waitFor('a row from behind the fault', async () => {
        const { submissions } = await service.graphql<{ submissions: { nodes: object[] } }>(
          'query ($from: DateTime!) { submissions(filter: { from: $from }, first: 1) { nodes { id } } }',
          { from: new Date(to).toISOString() },
        );
        return submissions.nodes[0];
      });
      const { intervalReport } = await service.graphql<{ intervalReport: ToldReport }>(
        `query ($from: DateTime!, $to: DateTime!) { intervalReport(node: "alpha", from: $from, to: $to) {
           attempts successes failures sizeBytes causes { count cause { code } } } }`,
        { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
      );
      expect(truly.failures).toBeGreaterThan(1);
      expect(intervalReport).toEqual({
        attempts: String(truly.attempts),
        successes: String(truly.successes),
        failures: String(truly.failures),
        sizeBytes: String(truly.bytes),
        causes: [{ count: String(truly.failures), cause: { code: 'OUT_OF_FUNDS' } }],
      });
    },
    PATIENCE_MS,
  );

  it('applies its jitter by the seed of the command, not by that of the file', () => {
    const step = { fault: 'funds', atMs: 6_000, forMs: 12_000, jitterMs: 4_000 } as const;
    const [planned, ofFile] = ['7', '1'].map(
      (seed) => [...planFaults({ steps: [step] }, seed)][0]?.atMs ?? NaN,
    );
    expect(planned).toBeGreaterThan(ofFile! + 1_000);
    const truth = readTruth();
    const [started = NaN] = truth.timesOf('node-started');
    const [began = NaN] = truth.timesOf('fault-began', 'funds');
    expect(began - started).toBeGreaterThan(planned! - 500);
  });
});
