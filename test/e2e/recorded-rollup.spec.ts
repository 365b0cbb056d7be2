import { groupByCause, type Following } from '../../src/dashboard/data/follows.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { liveThroughRollup } from '../support/lived-rollup.js';
import { ManualClock } from '../support/manual-clock.js';
import { projectAll } from '../support/read-models.js';
import { loadRecordedRollup } from '../support/recorded-rollup.js';
import { useApi } from '../support/use-database.js';

interface Interval {
  readonly rule: string;
  readonly state: string;
  readonly reason: string;
  readonly from: string;
  readonly to: string | null;
}

interface Incident extends Following {
  readonly remedy: string;
}

interface Balance {
  readonly amount: string | null;
  readonly change: string | null;
  readonly daHeight: string | null;
}

const NODE = 'alpha';
const rollup = loadRecordedRollup();
const END_MS = rollup.startMs + rollup.lengthMs;
/**
 * Seconds of two polls. The execution layer is polled every three blocks of 2 s, and the DA node every three blocks of 4 s. A
 * balance is read with the first poll after three times that.
 */
const TWO_POLLS = { DA_NODE: 24, EXECUTION: 12 } as const;
/** The recorder saw a change up to this much later than it happened. */
const SHOWN = 3;

/**
 * What was done to the rollup, by the README of the recording, and the critical interval that must report it. Seconds: when it
 * begins, and when the endpoint shows the end.
 */
const EVENTS = [
  { done: 'geth is stopped', component: 'EXECUTION', rule: 'execution-unreachable', from: 75, to: 90 },
  // The last header of before is of 122.6 s, and old after 30 s.
  {
    done: 'the consensus node hangs, and the head of the DA node stands still',
    component: 'DA_NODE',
    rule: 'da-node-behind',
    from: 122.6 + 30,
    to: 193,
  },
  { done: 'celestia-node is stopped', component: 'DA_NODE', rule: 'da-node-unreachable', from: 215, to: 240 },
  // The balance shows the transfer from 281.7 s on, and the top-up from 338.7 s on.
  {
    done: 'the account is emptied by a transfer',
    component: 'DA_NODE',
    rule: 'funds-low',
    from: 278.7,
    to: 335.7,
    withinS: 96 + 12,
  },
  {
    done: 'geth is replaced by an old copy, and stays behind when the rollup node stops itself',
    component: 'EXECUTION',
    rule: 'execution-behind',
    from: 370,
    to: 450,
  },
  {
    done: 'geth is replaced by one of another chain',
    component: 'EXECUTION',
    rule: 'execution-differs',
    from: 450,
    to: 495,
  },
] as const;

/** What the fleet shows at a second: the incident with the cause, the one that follows, and a remedy that names the source. */
const MOMENTS = [
  {
    at: 94,
    cause: 'EXECUTION execution-unreachable',
    follows: 'NODE not-ready',
    remedy: /Check that the execution client runs/,
  },
  {
    at: 180,
    cause: 'DA_NODE da-node-behind',
    follows: 'DA slow',
    remedy: /./,
  },
  {
    at: 238,
    cause: 'DA_NODE da-node-unreachable',
    follows: 'DA failures',
    remedy: /^The connection to the DA node broke .*begin with the DA node/,
  },
  {
    at: 326,
    cause: 'DA_NODE funds-low',
    follows: 'DA failing',
    remedy: /^The DA account is out of funds .*Fund the DA account/,
  },
  {
    at: 400,
    cause: 'EXECUTION execution-behind',
    follows: 'NODE unreachable',
    remedy: /restored from an older copy/,
  },
  {
    at: 470,
    cause: 'EXECUTION execution-differs',
    follows: 'NODE head-still',
    remedy: /data directory of this rollup/,
  },
] as const;

describe('a recorded rollup with its DA node and execution layer, observed over HTTP on a virtual clock', () => {
  const api = useApi({ clock: new ManualClock(END_MS) });
  const shown = new Map<number, readonly Incident[]>();

  beforeAll(async () => {
    await liveThroughRollup(new EventStore(api.dataSource), { id: NODE, rollup, seed: 3 });
    for (const { at } of MOMENTS) {
      const [last] = await api.dataSource.query<{ position: string }[]>(
        "SELECT max(position) AS position FROM event WHERE observed_at <= timestamptz 'epoch' + $1::float8 * interval '1 ms'",
        [rollup.startMs + at * 1_000],
      );
      await projectAll(api.dataSource, undefined, BigInt(last?.position ?? 0));
      const { incidents } = await api.read<{ incidents: { nodes: Incident[] } }>(
        '{ incidents(filter: { open: true }) { nodes { id chain component severity rule runbook remedy from lastSignAt nodes { nodeId } } } }',
      );
      shown.set(at, incidents.nodes);
    }
    await projectAll(api.dataSource);
  }, 120_000);

  const secondsOf = (time: string): number => (Date.parse(time) - rollup.startMs) / 1_000;
  const lineOf = async (component: string): Promise<readonly Interval[]> => {
    const query = `{ healthHistory(node: "${NODE}", component: ${component}) { rule state reason from to } }`;
    return (await api.read<{ healthHistory: Interval[] }>(query)).healthHistory;
  };

  it.each(EVENTS)('$done: $component is $rule, within two polls', async (event) => {
    const withinS = 'withinS' in event ? event.withinS : TWO_POLLS[event.component];
    const line = await lineOf(event.component);
    const told = line.map(({ from, rule, state }) => `${secondsOf(from)} ${state} ${rule}`);
    const own = line.filter(
      ({ rule, state, from }) =>
        rule === event.rule &&
        state === 'CRITICAL' &&
        secondsOf(from) < event.to &&
        secondsOf(from) >= event.from - 1,
    );
    expect({ told, own: own.length > 0 }).toEqual({ told, own: true });
    const [first, last] = [own[0], own.at(-1)] as [Interval, Interval];
    const [reported] = await api.dataSource.query<{ at: number }[]>(
      `SELECT (extract(epoch FROM min(e.observed_at)) * 1000)::float8 AS at FROM health_interval i JOIN event e ON e.position = i.from_position
        WHERE i.component = $1 AND i.rule = $2 AND i.state = 'CRITICAL' AND i.from_at = $3`,
      [event.component, event.rule, first.from],
    );
    expect(((reported?.at ?? NaN) - rollup.startMs) / 1_000).toBeLessThanOrEqual(
      event.from + SHOWN + withinS,
    );
    expect(last.to === null ? NaN : secondsOf(last.to)).toBeLessThanOrEqual(event.to + SHOWN + withinS);
    expect(last.to === null ? NaN : secondsOf(last.to)).toBeGreaterThanOrEqual(event.to - 1);
  });

  it('reports no other trouble of the DA node or the execution layer', async () => {
    for (const component of ['DA_NODE', 'EXECUTION'] as const) {
      const line = await lineOf(component);
      const troubles = line.filter(({ state }) => state === 'CRITICAL').map(({ rule }) => rule);
      const events = EVENTS.filter((event) => event.component === component).map(({ rule }) => rule);
      expect([...new Set(troubles)]).toEqual(events);
      expect(line.filter(({ rule }) => rule === 'not-watched')).toEqual([]);
    }
  });

  it('is well again when the right execution layer has replayed its blocks', async () => {
    const last = (await lineOf('EXECUTION')).at(-1);
    expect(last).toMatchObject({ rule: 'healthy', to: null });
    expect(secondsOf(last?.from ?? '')).toBeLessThanOrEqual(508 + TWO_POLLS.EXECUTION);
  });

  it('names the genesis as the first difference of the other chain', async () => {
    const line = await lineOf('EXECUTION');
    expect(line.find(({ rule }) => rule === 'execution-differs')?.reason).toContain('from its genesis on');
  });

  it.each(MOMENTS)('at $at s $follows follows from $cause', ({ at, cause, follows, remedy }) => {
    const groups = groupByCause(shown.get(at) ?? [], () => true).map(({ incident, following }) => ({
      cause: `${incident.component} ${incident.rule}`,
      following: following.map((each) => `${each.component} ${each.rule}`),
    }));
    expect(groups).toContainEqual({ cause, following: [follows] });
    const isDa = follows.startsWith('DA ');
    const told = shown
      .get(at)
      ?.find(({ component, rule }) => `${component} ${rule}` === (isDa ? follows : cause));
    expect(told?.remedy).toMatch(remedy);
  });

  it('records what the account truly had at each DA height', async () => {
    const { accounts } = await api.read<{ accounts: { address: string; balances: { nodes: Balance[] } }[] }>(
      '{ accounts { address balances(first: 100) { nodes { amount change daHeight } } } }',
    );
    expect(accounts).toHaveLength(1);
    expect(accounts[0]?.address).toBe(rollup.account);
    const known = (accounts[0]?.balances.nodes ?? [])
      .filter(({ amount, daHeight }) => amount !== null && daHeight !== null)
      .map(({ amount, daHeight }) => ({ amount: BigInt(amount ?? 0), daHeight: BigInt(daHeight ?? 0) }));
    expect(known.length).toBeGreaterThan(8);
    const spentTo = (height: bigint): bigint =>
      rollup.transactions
        .filter(({ daHeight }) => daHeight <= height)
        .reduce((sum, { fee, sent }) => sum + fee + sent, 0n);
    // One top-up, of 3,000,000 utia.
    const differences = known.map(({ amount, daHeight }) => amount + spentTo(daHeight));
    expect([...new Set(differences)].map((each) => each - (differences[0] ?? 0n))).toEqual([0n, 3_000_000n]);
  });

  it('counts the transfer as spending, and not as a fee', async () => {
    const { accounts } = await api.read<{
      accounts: {
        spent: { hour: string };
        runway: { from: string } | null;
        balances: { nodes: { change: string | null }[] };
      }[];
    }>('{ accounts { spent { hour } runway { from } balances(first: 100) { nodes { change } } } }');
    const [account] = accounts;
    const falls = (account?.balances.nodes ?? [])
      .map(({ change }) => -BigInt(change ?? 0))
      .filter((fall) => fall > 0n);
    expect(account?.spent.hour).toBe(String(falls.reduce((sum, fall) => sum + fall, 0n)));
    const transfer = rollup.transactions.find(({ sent }) => sent > 0n);
    expect(falls.filter((fall) => fall > (transfer?.sent ?? 0n))).toHaveLength(1);
    // By fees alone the balance lasts for hours; by the transfer it would last for minutes.
    expect(secondsOf(account?.runway?.from ?? '')).toBeGreaterThan(rollup.lengthMs / 1_000 + 3_600);
  });
});
