import { decodeSubmissionRow } from '../../domain/submissions/submission-row.js';
import { millisToMicros, nanosToMicros } from '../../domain/time.js';
import { placeTime } from '../../projections/record/facts/submissions.js';
import { makeUpYear } from './made-up-year.js';
import { liveYear, type YearTurn } from './year-chain.js';
import { DAY, HOUR, tellStory } from './year-story.js';

it('counts each row of the sample year under its own time', async () => {
  const { events } = await makeUpYear(tellStory(Date.UTC(2026, 10, 1)), 'hindsight demo');
  let rows = 0;
  const elsewhere: string[] = [];
  for (const { event } of events) {
    if (event.type !== 'SubmissionsObserved') continue;
    const { looks, overlap, rows: texts } = event.body;
    for (const text of texts) {
      const { occurredAt } = decodeSubmissionRow(text);
      const { timeAt } = placeTime(occurredAt, millisToMicros(event.observedAt), looks, overlap === 0);
      rows += 1;
      if (occurredAt === null || timeAt !== nanosToMicros(occurredAt)) elsewhere.push(text);
    }
  }
  expect(rows).toBeGreaterThan(3_000);
  expect(elsewhere).toEqual([]);
});

it('is the same whenever the demo begins, so that docs/ can quote it', () => {
  const told = Date.UTC(2026, 10, 28);
  const before = told - HOUR;
  const until = (begin: number): unknown[] =>
    liveYear(tellStory(begin), 'hindsight demo').flatMap((turn) => (turn.at < before ? shownOf(turn) : []));
  const early = until(told + 20 * HOUR);
  expect(early.length).toBeGreaterThan(2_000);
  expect(until(told + 20 * DAY)).toEqual(early);
});

function shownOf({ at, rows, blocks }: YearTurn): unknown[] {
  return [at, ...rows.map(({ text }) => text), ...blocks.map(({ block, toldAt }) => [toldAt, block.hash])];
}
