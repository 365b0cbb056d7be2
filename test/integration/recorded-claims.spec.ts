import type { Subject } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { PROJECTION_FACTORIES } from '../../src/projections/all-projections.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';
import { liveThroughRecording } from '../support/lived-recording.js';
import { loadRecording } from '../support/recording.js';
import { useApi } from '../support/use-database.js';

/** Fields of a node's health that are more than figures of its list. */
const HEADLINE = ['status', 'is_healthy', 'issues', 'connection_status', 'connection_healthy'] as const;

type Health = Readonly<Record<string, unknown>>;

/** The recording is the truth: a real node wrote it. */
describe('the health that is served for a recorded node', () => {
  const api = useApi();
  const { lines, startMs } = loadRecording('aggregator');
  const answers = lines.get('GET /da/health') ?? [];
  const looks = new Map<Subject, readonly number[]>();

  beforeAll(async () => {
    const store = new EventStore(api.dataSource);
    const looked = (subject: Subject, t: number) => looks.set(subject, [...looksAt(subject), t]);
    await liveThroughRecording(store, { nodes: [{ id: 'recorded', file: 'aggregator' }], seed: 1, looked });
    const runner = new ProjectionRunner(api.dataSource, store);
    const end = await store.lastPosition();
    for (const makeProjection of Object.values(PROJECTION_FACTORIES))
      await runner.catchUp(makeProjection(), end);
  });

  function looksAt(subject: Subject): readonly number[] {
    return looks.get(subject) ?? [];
  }

  async function readAt(t: number): Promise<Health> {
    const at = new Date(startMs + t).toISOString();
    const response = await fetch(`${api.url}/nodes/recorded/da/health?at=${at}`);
    expect([t, response.status]).toEqual([t, 200]);
    return (await response.json()) as Health;
  }

  /** The node's answer at a moment, and its next answer; nothing while it was down. */
  function saidAround(t: number): Health[] {
    const next = answers.findIndex((line) => line.t > t);
    const around = next === -1 ? answers.slice(-1) : answers.slice(Math.max(0, next - 1), next + 1);
    return around.flatMap(({ answer }) => (answer ? [JSON.parse(answer.body.toString()) as Health] : []));
  }

  const headlineOf = (health: Health | undefined) => HEADLINE.map((name) => health?.[name]);

  it('is what the node said, at every poll of its health', async () => {
    const at = looksAt('claims');
    for (const t of at) {
      expect([t, headlineOf(await readAt(t))]).toEqual([t, headlineOf(saidAround(t)[0])]);
    }
    expect(at).toHaveLength(82);
  });

  it('is what the node said, at every poll of its list', async () => {
    const at = looksAt('submissions');
    const different: unknown[] = [];
    for (const t of at) {
      // The list was polled only once a second, and may have changed in between.
      const said = saidAround(t).map((health) => JSON.stringify(headlineOf(health)));
      const served = JSON.stringify(headlineOf(await readAt(t)));
      if (!said.includes(served)) different.push({ t, served, said });
    }
    expect(different).toEqual([]);
    expect(at).toHaveLength(211);
  });

  it('never becomes healthy while the node is down, and reports when its list fell silent', async () => {
    const [from, to] = [300_000, 435_000];
    const words: unknown[] = [];
    for (let t = from; t < to; t += 5_000) words.push((await readAt(t))['status']);
    const lastSaid = answers.findLast((line) => line.t < from && line.answer);
    const last = JSON.parse(lastSaid?.answer?.body.toString() ?? '{}') as Health;
    expect(new Set(words)).toEqual(new Set([last['status'], 'warning']));
    expect(words.at(-1)).toBe('warning');
  });
});
