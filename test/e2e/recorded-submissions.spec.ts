import type { LossFact, RecordedEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { NodeApi } from '../../src/node-api/node-api.js';
import { ListObservations } from '../../src/observe/submissions/list-observations.js';
import { PollBook } from '../../src/observe/poll-book.js';
import { NodeBudget } from '../../src/observe/subject-recorder.js';
import { loopOf } from '../../src/observe/observed-node-loops.js';
import { SubmissionsObserver } from '../../src/observe/submissions/submissions.observer.js';
import { HttpClient } from '../../src/platform/http.js';
import { createLogger } from '../../src/platform/logger.js';
import { loadRecording, loadTruth } from '../support/recording.js';
import { startReplayNode } from '../support/replay-node.js';
import { seededRandom } from '../support/seeded-random.js';
import { useDatabase } from '../support/use-database.js';
import { VirtualClock } from '../support/virtual-clock.js';

describe('a recorded node', () => {
  const dataSource = useDatabase();
  let events: RecordedEvent[];

  beforeAll(async () => {
    const store = new EventStore(dataSource);
    const { startMs } = loadRecording('aggregator');
    const clock = new VirtualClock(startMs);
    const node = await startReplayNode({ file: 'aggregator', now: () => clock.now() - startMs });
    const http = new HttpClient();
    const api = new NodeApi(http, clock, { url: node.url });
    const logger = createLogger('silent');
    const observed = { id: 'recorded', url: node.url, record: 'none', backfillFrom: 'first' } as const;
    const [book, observations] = [new PollBook(), new ListObservations()];
    const observer = new SubmissionsObserver(
      { node: observed, clock, store, book, observations, budget: new NodeBudget(1e9), api, logger },
      { floorMs: 500, ceilingMs: 2_000 },
    );
    const loop = loopOf('recorded/submissions', observer, { clock, logger, random: seededRandom(1) });
    loop.start();
    await clock.advance(startMs + node.lengthMs, 1);
    await loop.stop();
    await node.close();
    await http.close();
    events = (await store.readStreamBack('recorded/submissions', [], 100_000)).reverse();
  });

  it('is recorded once and in order, except rows in recorded gaps, whose bounds hold', () => {
    const truth = loadTruth().map(({ row }) => JSON.stringify(row));
    let next = 0;
    let hole: LossFact | undefined;
    const missing: number[] = [];
    for (const event of events) {
      if ('minLost' in event.body) hole = event.body as LossFact;
      if (event.type !== 'SubmissionsObserved') continue;
      for (const text of event.body.rows) {
        const at = truth.indexOf(JSON.stringify(JSON.parse(text)), next);
        expect(at).toBeGreaterThanOrEqual(next);
        const lost = at - next;
        if (lost > 0) expect(hole).toBeDefined();
        if (hole) {
          expect(lost).toBeGreaterThanOrEqual(hole.minLost);
          expect(lost).toBeLessThanOrEqual(hole.maxLost ?? Infinity);
          missing.push(lost);
        }
        hole = undefined;
        next = at + 1;
      }
    }
    expect(next).toBe(truth.length);
    expect(missing).toHaveLength(3);
  });

  it('has lost only rows from before the start, and rows lost by each restart', () => {
    const losses = events.filter((event) => 'minLost' in event.body).map((event) => event.type);
    expect(losses).toEqual(['SubmissionHistoryMissing', 'SubmissionRingReset', 'SubmissionRingReset']);
  });
});
