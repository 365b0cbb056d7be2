import { expectOneIncident, POLL_MS, type ExpectedIncident } from '../support/rig/expect-incident.js';
import type { RiggedNode } from '../support/rig/rigged-life.js';
import { recordFaults, type RiggedRecord } from '../support/rig/rigged-record.js';

const AT_MS = 60_000;
const FOR_MS = 45_000;
/** The time includes five minutes of calm after the fault, and delays before that. */
const LENGTH_MS = AT_MS + FOR_MS + 420_000;
const PATIENCE_MS = 1_800_000;

const of = (fault: 'refused' | 'hang' | 'funds' | 'too-big' | 'frozen', forMs = FOR_MS): RiggedNode => ({
  id: fault,
  scenario: { steps: [{ fault, atMs: AT_MS, forMs }] },
});
const down = (id: 'restart' | 'kill'): RiggedNode => ({
  id,
  scenario: { steps: [{ fault: id, atMs: AT_MS, forMs: 20_000 }] },
});

const NODES: readonly RiggedNode[] = [
  of('refused'),
  of('hang', 60_000),
  of('funds'),
  of('too-big'),
  of('frozen'),
  down('restart'),
  down('kill'),
  {
    // Its API is unreachable while it changes its role, like that of the real node.
    id: 'leader',
    scenario: {
      steps: [
        { fault: 'restart', atMs: AT_MS, forMs: 8_000 },
        { fault: 'follower', atMs: AT_MS, forMs: FOR_MS },
      ],
    },
  },
];

const FAILING = {
  component: 'DA',
  severity: 'CRITICAL',
  rule: 'failing',
  ruleWaitsMs: 0,
  pollMs: POLL_MS.list,
  isOver: true,
  isInclusionKnown: true,
} as const;
const DOWN = {
  component: 'NODE',
  severity: 'CRITICAL',
  rule: 'unreachable',
  cause: null,
  remedy: /process runs.*RPC port/,
  ruleWaitsMs: 5_000,
  pollMs: POLL_MS.node,
  isOver: true,
  isInclusionKnown: false,
} as const;

const EXPECTED: readonly ExpectedIncident[] = [
  { ...FAILING, node: 'refused', cause: 'DA_UNREACHABLE', remedy: /token is valid.*fully synced/ },
  { ...FAILING, node: 'funds', cause: 'OUT_OF_FUNDS', remedy: /Fund the DA account.*node\.da\.gas_price/ },
  { ...FAILING, node: 'too-big', cause: 'TOO_BIG', remedy: /lower the size of blocks/ },
  {
    ...FAILING,
    node: 'hang',
    rule: 'silent',
    cause: 'TIMED_OUT',
    remedy: /node\.da\.request_timeout/,
    // Twice the usual gap between successes, which is the time between DA blocks.
    ruleWaitsMs: 6_000,
  },
  {
    ...FAILING,
    node: 'frozen',
    rule: 'frozen',
    cause: null,
    remedy: /namespaces.*synced/,
    // Half of twenty seconds.
    ruleWaitsMs: 10_000,
    pollMs: POLL_MS.node,
  },
  { ...DOWN, node: 'restart' },
  { ...DOWN, node: 'kill' },
  { ...DOWN, node: 'leader' },
];

describe.each(EXPECTED)('reports of a known fault, compared with the truth', (expected) => {
  let record: RiggedRecord;

  beforeAll(async () => {
    const node = NODES.filter(({ id }) => id === expected.node);
    record = await recordFaults(node, LENGTH_MS);
  }, PATIENCE_MS);

  afterAll(() => record?.stop());

  it(
    `is one incident with its cause, first sign and figures: ${expected.node}`,
    () => expectOneIncident(record, expected),
    PATIENCE_MS,
  );
});

describe('an hour of flapping', () => {
  const TIMES = 30;
  const EVERY_MS = 120_000;
  let record: RiggedRecord;

  beforeAll(async () => {
    const step = {
      fault: 'refused',
      atMs: AT_MS,
      forMs: 20_000,
      everyMs: EVERY_MS,
      times: TIMES,
      jitterMs: 30_000,
    } as const;
    const lengthMs = AT_MS + TIMES * EVERY_MS + 360_000;
    record = await recordFaults([{ id: 'flapping', scenario: { steps: [step] } }], lengthMs);
  }, PATIENCE_MS);

  afterAll(() => record?.stop());

  it(
    'is one incident',
    async () => {
      const [first] = await record.getIncidents('flapping');
      expect(first?.signs).toBeGreaterThanOrEqual(TIMES);
      await expectOneIncident(record, {
        ...FAILING,
        node: 'flapping',
        cause: 'DA_UNREACHABLE',
        remedy: /token is valid.*fully synced/,
      });
    },
    PATIENCE_MS,
  );
});
