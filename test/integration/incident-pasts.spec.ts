import { EventStore } from '../../src/event-log/event-store.js';
import { liveThroughRecording } from '../support/lived-recording.js';
import { ManualClock } from '../support/manual-clock.js';
import { projectAll } from '../support/read-models.js';
import { readModelSet, rebuildNow } from '../support/rebuild.js';
import { useApi } from '../support/use-database.js';

const FIELDS =
  'id nodeId nodes { nodeId from to severity rule reason signs position } subject component severity from to open rule reason signs position remedy acknowledgedBy causes { count first last cause { code } }';
/** The shares of the log up to which it is read, in percent. */
const CUTS = [20, 40, 60, 80, 100];

/** The recorded aggregator at two addresses: outages of five kinds, a freeze, a kill and a time in which it is down. */
describe('incidents of the recorded node at two addresses', () => {
  const clock = new ManualClock();
  const api = useApi({ clock });

  const ask = async (args = ''): Promise<unknown[]> =>
    (await api.read<{ incidents: { nodes: unknown[] } }>(`{ incidents${args} { nodes { ${FIELDS} } } }`))
      .incidents.nodes;

  /** The answers while no more of the log was read, and the time at which the last event of that part was recorded. */
  const told: { readonly recordedAt: string; readonly incidents: unknown[]; readonly uptime: unknown[] }[] =
    [];
  let from = '';

  /** The uptime of both nodes, up to a moment of the past. */
  const uptimeUntil = async (to: string, knownAt: string | null = null): Promise<unknown[]> =>
    (
      await api.read<{ uptimeOfNodes: unknown[] }>(
        `query ($from: DateTime!, $to: DateTime!, $knownAt: DateTime) {
           uptimeOfNodes(nodes: ["alpha", "beta"], bucket: QUARTER_HOUR, from: $from, to: $to, knownAt: $knownAt) {
             id node time healthyMs warningMs criticalMs unknownMs } }`,
        { from, to, knownAt },
      )
    ).uptimeOfNodes;

  beforeAll(async () => {
    const store = new EventStore(api.dataSource);
    const nodes = (['alpha', 'beta'] as const).map((id) => ({ id, file: 'aggregator' }) as const);
    const { startMs, lengthMs } = await liveThroughRecording(store, { nodes, seed: 11 });
    await clock.advance(startMs + lengthMs - clock.now());
    from = new Date(startMs).toISOString();
    const end = await store.lastPosition();
    for (const cut of CUTS) {
      // Everything that was recorded at one moment is known at once.
      const [moment] = await api.dataSource.query<{ at: string; position: bigint }[]>(
        `SELECT max(position) AS position, to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM event
          WHERE recorded_at = (SELECT recorded_at FROM event WHERE position = $1) GROUP BY recorded_at`,
        [(end * BigInt(cut)) / 100n],
      );
      await projectAll(api.dataSource, undefined, moment?.position);
      const recordedAt = moment?.at ?? '';
      told.push({ recordedAt, incidents: await ask(), uptime: await uptimeUntil(recordedAt) });
    }
  }, 300_000);

  it('are one of the DA layer, one of the node, and those of our coverage, of both addresses together', async () => {
    const incidents = (await ask()) as {
      subject: string;
      component: string;
      severity: string;
      nodes: { nodeId: string }[];
      causes: { cause: { code: string } }[];
    }[];
    const codes = incidents
      .filter(({ subject }) => subject !== 'COVERAGE')
      .map(({ component, severity, causes, nodes }) => ({
        component,
        severity,
        codes: causes.map(({ cause }) => cause.code),
        nodes: nodes.map(({ nodeId }) => nodeId).toSorted(),
      }))
      .toSorted((a, b) => a.component.localeCompare(b.component));
    const both = ['alpha', 'beta'];
    expect(codes).toEqual([
      {
        component: 'DA',
        severity: 'CRITICAL',
        codes: expect.arrayContaining(['DA_CONNECTION_LOST']),
        nodes: both,
      },
      // A batch that is too big, and then the node stops itself. The moment of that poll decides how many earlier attempts fall into it.
      { component: 'NODE', severity: 'CRITICAL', codes: expect.arrayContaining(['TOO_BIG']), nodes: both },
    ]);
    // A restart took these rows from each list: nothing proves that they were the same.
    const holes = incidents.filter(({ subject }) => subject === 'COVERAGE');
    expect(holes.map(({ severity, nodes }) => [severity, nodes.length])).toEqual([
      ['WARNING', 1],
      ['WARNING', 1],
    ]);
    expect(codes[0]?.codes[0]).toBe('DA_CONNECTION_LOST');
  });

  it('have the same uptime for a past time as was reported then', async () => {
    for (const { recordedAt, uptime } of told)
      expect(await uptimeUntil(recordedAt, recordedAt)).toEqual(uptime);
    // This proves that the answers above were those of the past.
    const now = await Promise.all(told.map(({ recordedAt }) => uptimeUntil(recordedAt)));
    expect(now).not.toEqual(told.map(({ uptime }) => uptime));
  });

  it('have by knownAt the values that were reported then', async () => {
    expect(new Set(told.map(({ incidents }) => JSON.stringify(incidents))).size).toBeGreaterThan(3);
    for (const { recordedAt, incidents } of told)
      expect((await ask(`(knownAt: "${recordedAt}")`)).map(withoutWords)).toEqual(
        incidents.map(withoutWords),
      );
  });

  it('are the same after a rebuild', async () => {
    const before = await ask();
    for (const set of ['health', 'record']) await rebuildNow(api.dataSource, readModelSet(set));
    expect(await ask()).toEqual(before);
  });
});

/** The words of an open incident are those of the present, which no past keeps. */
function withoutWords(incident: unknown): object {
  const { open, nodes, ...facts } = incident as { open: boolean; nodes: { to: string | null }[] };
  const isWord = ([name]: [string, unknown]): boolean => ['rule', 'reason', 'remedy'].includes(name);
  const wordless = (one: object, lasts: boolean): object =>
    lasts ? Object.fromEntries(Object.entries(one).filter((entry) => !isWord(entry))) : one;
  return { ...wordless(facts, open), open, nodes: nodes.map((node) => wordless(node, node.to === null)) };
}
