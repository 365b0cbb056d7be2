import { EventStore } from '../../src/event-log/event-store.js';
import type { RecordedEvent } from '../../src/domain/events.js';
import { ManualClock } from '../support/manual-clock.js';
import { appendLog } from '../support/append-log.js';
import { observeRecording } from '../support/observed-recording.js';
import { readModelSet, rebuildNow } from '../support/rebuild.js';
import { seededRandom } from '../support/seeded-random.js';
import { useApi } from '../support/use-database.js';

const FIELDS =
  'id nodeId component severity from to open lastSignAt rule reason signs claim position remedy causes { count first last cause { code } }';

/** Of the recorded aggregator: outages of five kinds, a freeze, a kill and a time in which it is down. */
describe('incidents of the recorded node', () => {
  const { startMs, events } = observeRecording(seededRandom(3));
  const clock = new ManualClock(startMs + 560_000);
  const api = useApi({ clock });

  const ask = async (args = ''): Promise<unknown[]> =>
    (await api.read<{ incidents: { nodes: unknown[] } }>(`{ incidents${args} { nodes { ${FIELDS} } } }`)).incidents
      .nodes;

  /** What was told while the log had grown so far, and when the last event of that was recorded. */
  const told: { readonly recordedAt: string; readonly incidents: unknown[] }[] = [];

  beforeAll(async () => {
    const store = new EventStore(api.dataSource);
    const log: readonly RecordedEvent[] = events;
    const cuts = [0.2, 0.35, 0.5, 0.6, 0.8, 1].map((share) => Math.floor(share * log.length));
    let from = 0;
    const versions = new Map<string, bigint>();
    for (const cut of cuts) {
      await appendLog(api.dataSource, log.slice(from, cut), versions);
      from = cut;
      const [row] = await api.dataSource.query<{ at: string }[]>(
        `SELECT to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM event WHERE position = $1`,
        [await store.lastPosition()],
      );
      told.push({ recordedAt: row?.at ?? '', incidents: await ask() });
    }
  }, 180_000);

  it('are those that the recording holds, each with its cause', async () => {
    const incidents = (await ask()) as { component: string; rule: string; causes: { cause: { code: string } }[] }[];
    const found = incidents.map(({ component, rule, causes }) => [component, rule, causes[0]?.cause.code]);
    expect(found).toEqual([
      ['NODE', 'unreachable', undefined],
      ['DA', 'failing', 'DA_CONNECTION_LOST'],
    ]);
  });

  it('are the same after a rebuild', async () => {
    const before = await ask();
    expect(before.length).toBeGreaterThan(1);
    for (const set of ['health', 'record']) await rebuildNow(api.dataSource, readModelSet(set));
    expect(await ask()).toEqual(before);
  });

  it('are by knownAt what was told then', async () => {
    expect(new Set(told.map(({ incidents }) => JSON.stringify(incidents))).size).toBe(told.length);
    for (const { recordedAt, incidents } of told)
      expect(await ask(`(knownAt: "${recordedAt}")`)).toEqual(incidents);
  });
});
