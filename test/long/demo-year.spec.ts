import { bringInYear, FIRST_NODE, SECOND_NODE, YEAR_CHAIN } from '../../src/cli/demo-year.js';
import { draftBlock } from '../../src/domain/blocks/block-draft.js';
import { findMisshapen } from '../../src/domain/event-shape.js';
import type { RecordedEvent } from '../../src/domain/events.js';
import { foldHealth, HEALTH_EVENTS } from '../../src/domain/health/health.js';
import { NO_HEALTH } from '../../src/domain/health/health-fold.js';
import { readThresholds } from '../../src/domain/health/health-thresholds.js';
import { foldCoverage, NO_COVERAGE, type Stretch } from '../../src/domain/coverage/list-coverage.js';
import { decodeSubmissionRow } from '../../src/domain/submissions/submission-row.js';
import { millisToMicros, nanosToMicros } from '../../src/domain/time.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { decodeBody, toRecordedEvent } from '../../src/event-log/logged-event.js';
import { verifyLog } from '../../src/event-log/verify-log.js';
import { placeTime } from '../../src/projections/record/facts/submissions.js';
import { makeUpYear } from '../support/demo-year/made-up-year.js';
import { liveYear } from '../support/demo-year/year-chain.js';
import type { YearEvent } from '../support/demo-year/year-event.js';
import { toLog } from '../support/demo-year/year-log.js';
import { DAY, HOUR, STORY } from '../support/demo-year/year-story.js';
import { useDatabase } from '../support/use-database.js';

const MOST_SUBMISSIONS = 20_000;
const PATIENCE_MS = 180_000;

describe('the sample year of the demo', () => {
  let year: YearEvent[];
  let events: RecordedEvent[];
  beforeAll(async () => {
    year = await makeUpYear('a seed');
    events = [...toLog(year)].map(({ row }) => toRecordedEvent(row, decodeBody));
  }, PATIENCE_MS);

  const rowsOf = (): string[] =>
    year.flatMap(({ event }) => (event.type === 'SubmissionsObserved' ? event.body.rows : []));

  const openingHash = (): string | null | undefined =>
    year.flatMap(({ event }) => (event.type === 'ChainLineageOpened' ? [event.body.hash] : []))[0];

  it(
    'is the same for the same seed, and differs for another seed',
    async () => {
      expect(await makeUpYear('a seed')).toEqual(year);
      const [turn] = liveYear('another seed');
      expect(turn?.blocks[0]?.block.hash).not.toBe(openingHash());
    },
    PATIENCE_MS,
  );

  it('has at most 20,000 submissions, and times that never go back within a stream', () => {
    expect(rowsOf().length).toBeGreaterThan(5_000);
    expect(rowsOf().length).toBeLessThan(MOST_SUBMISSIONS);
    const last = new Map<string, number>();
    const wrong = year.filter(({ stream, event: { observedAt } }) => {
      const before = last.get(stream) ?? STORY.from;
      last.set(stream, observedAt);
      return observedAt < before || observedAt > STORY.to;
    });
    expect(wrong).toEqual([]);
    const owners = new Set([...last.keys()].map((stream) => stream.slice(0, stream.indexOf('/'))));
    expect(owners).toEqual(new Set([YEAR_CHAIN, FIRST_NODE, SECOND_NODE]));
  });

  it('has events in the form that observers write, which the log returns unchanged', () => {
    expect(events).toHaveLength(year.length);
    const misshapen = events.flatMap(({ type, body }) => findMisshapen(type, body) ?? []);
    expect(misshapen).toEqual([]);
  });

  it('has blocks that pass every check, and successes whose blobs are where blocks say', () => {
    const turns = liveYear('a seed');
    const blocks = turns.flatMap((turn) => turn.blocks);
    for (const { block } of blocks.filter((_, index) => index % 100 === 0)) {
      const { checks } = draftBlock({ height: block.header.height, block });
      expect(checks).toMatchObject({ signature: 'PASSED', proposer: 'PASSED', data: 'PASSED' });
    }
    const places = new Set(blocks.flatMap(({ landed }) => [landed.header, landed.data]));
    const decoded = rowsOf().map(decodeSubmissionRow);
    const successes = decoded.filter(({ status }) => status === 'SUCCESS');
    const strays = successes.filter(({ daHeight }) => daHeight === null || !places.has(daHeight));
    // Some answers were lost, so these batches were posted again.
    expect(strays).toHaveLength(10);
    expect(strays.length).toBeLessThan(successes.length / 100);
    expect(successes.every(({ gasPrice, occurredAt }) => gasPrice === null || occurredAt !== null)).toBe(
      true,
    );
  });

  it('shows its outage, its failing and its frozen DA layer, and nothing else critical', () => {
    // A change of cause starts another interval of the same trouble.
    const troubles = [FIRST_NODE, SECOND_NODE].flatMap((node) =>
      joinAdjoining(healthOf(node).filter(isCritical)),
    );
    const spans = troubles.map(({ node, component, rule, from, to }) => ({
      node,
      component,
      rule,
      isOfHours: to !== null && to - from > 4 * HOUR && to - from < 10 * HOUR,
    }));
    expect(spans).toEqual([
      { node: FIRST_NODE, component: 'NODE', rule: 'unreachable', isOfHours: true },
      { node: FIRST_NODE, component: 'DA', rule: 'failing', isOfHours: true },
      { node: SECOND_NODE, component: 'DA', rule: 'frozen', isOfHours: true },
    ]);
  });

  it('has nodes that are healthy at the end', () => {
    const lineOf = (node: string): string[] =>
      healthOf(node).flatMap(({ component, rule }) => (component === 'NODE' ? [rule] : []));
    expect([...lineOf(FIRST_NODE), ...lineOf(SECOND_NODE)]).not.toContain('blocks-not-seen');
    expect(lineOf(FIRST_NODE).slice(-2)).toEqual(['healthy', 'retired']);
    expect(lineOf(SECOND_NODE).at(-1)).toBe('healthy');
  });

  it('counts each row under its own time', () => {
    const elsewhere = year.flatMap(({ event }) => {
      if (event.type !== 'SubmissionsObserved') return [];
      const { looks, overlap, rows } = event.body;
      return rows.filter((text) => {
        const { occurredAt } = decodeSubmissionRow(text);
        const { timeAt } = placeTime(occurredAt, millisToMicros(event.observedAt), looks, overlap === 0);
        return occurredAt === null || timeAt !== nanosToMicros(occurredAt);
      });
    });
    expect(elsewhere).toEqual([]);
  });

  it('misses nothing of the leader except while it was not monitored', () => {
    const lists = coverageOf(FIRST_NODE).filter(({ kind }) => kind === 'LIST');
    expect(lists).toHaveLength(2);
    const [before, after] = lists as [Stretch, Stretch];
    expect(before.to).toBeGreaterThan(STORY.unwatched.from - 60_000);
    expect(after.from).toBeGreaterThanOrEqual(STORY.unwatched.to);
    expect(after.to).toBeGreaterThan(STORY.leaderChangeAt - 10 * 60_000);
    expect(coverageOf(SECOND_NODE).filter(({ kind }) => kind === 'LIST')).toHaveLength(1);
  });

  describe('in a database', () => {
    const dataSource = useDatabase();

    it(
      'is a log that passes verification, and is imported only once',
      async () => {
        expect(await bringInYear(dataSource, STORY.toldAt)).toBe(true);
        const { events: brought, fault } = await verifyLog(dataSource, () => undefined);
        expect({ isWhole: brought > 10_000, fault }).toEqual({ isWhole: true, fault: undefined });
        expect(await bringInYear(dataSource, STORY.toldAt + DAY)).toBe(true);
        expect((await verifyLog(dataSource, () => undefined)).events).toBe(brought);
      },
      PATIENCE_MS,
    );
  });

  describe('with a log that already has events', () => {
    const dataSource = useDatabase();

    it('is not imported', async () => {
      const event = {
        type: 'NodeRegistered',
        observedAt: STORY.toldAt,
        body: { url: 'http://alpha.invalid' },
      } as const;
      await new EventStore(dataSource).append({ stream: 'alpha/node', expectedVersion: 0n, events: [event] });
      expect(await bringInYear(dataSource, STORY.toldAt)).toBe(false);
      expect((await verifyLog(dataSource, () => undefined)).events).toBe(1);
    });
  });

  interface Told {
    readonly node: string;
    readonly component: string;
    readonly state: string;
    readonly rule: string;
    readonly from: number;
    readonly to: number | null;
  }

  function joinAdjoining(spans: readonly Told[]): Told[] {
    return spans.reduce<Told[]>((joined, span) => {
      const last = joined.at(-1);
      const isOn = last?.component === span.component && last.rule === span.rule && last.to === span.from;
      return isOn ? [...joined.slice(0, -1), { ...last, to: span.to }] : [...joined, span];
    }, []);
  }

  function isCritical({ state }: Told): boolean {
    return state === 'CRITICAL';
  }

  function healthOf(node: string): Told[] {
    const thresholds = readThresholds(
      events.flatMap((event) => (event.type === 'ChainSettingsChanged' ? [event.body.thresholds] : []))[0] ??
        {},
    );
    const told = new Map<string, Told>();
    let state = NO_HEALTH;
    for (const event of events) {
      if (!event.stream.startsWith(`${node}/`) || !HEALTH_EVENTS.includes(event.type)) continue;
      const { state: next, changes } = foldHealth(state, event, thresholds);
      state = next;
      for (const change of changes) {
        const { component } = change;
        if (change.kind === 'drop') told.delete(`${component} ${change.from}`);
        else told.set(`${component} ${change.interval.from}`, { node, component, ...change.interval });
      }
    }
    return [...told.values()].sort((a, b) => a.from - b.from);
  }

  function coverageOf(node: string): Stretch[] {
    const told = new Map<number, Stretch>();
    let state = NO_COVERAGE;
    for (const event of events.filter(({ stream }) => stream.startsWith(`${node}/`))) {
      const { state: next, changed } = foldCoverage(state, event);
      state = next;
      for (const stretch of changed) told.set(stretch.number, stretch);
    }
    return [...told.values()];
  }
});
