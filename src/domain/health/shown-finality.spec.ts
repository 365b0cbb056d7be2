import { foldHealth } from './health.js';
import { NO_HEALTH, type HealthFold } from './health-fold.js';
import type { RuleInterval } from './health-intervals.js';
import { DEFAULT_THRESHOLDS } from './health-thresholds.js';
import { isInclusionKnown } from './shown-finality.js';
import { contentOf, HealthStory } from '../../../test/support/health-story.js';

/** Folds a story while another node of the chain shows inclusion up to `othersTo(second)`. */
function foldBeside(story: HealthStory, othersTo: (at: number) => number) {
  const rows = new Map<number, RuleInterval>();
  let fold: HealthFold = NO_HEALTH;
  for (const event of story.events) {
    const at = (Number(event.observedAt) / 1_000 - story.startMs) / 1_000;
    const { state, changes } = foldHealth(fold, event, DEFAULT_THRESHOLDS, {
      next: String(othersTo(at) + 1),
      isDaOut: false,
      histories: [],
    });
    fold = state;
    for (const change of changes) {
      if (change.component !== 'DA') continue;
      if (change.kind === 'drop') rows.delete(change.from);
      else rows.set(change.interval.from, change.interval);
    }
  }
  const intervals = [...rows.values()].sort((a, b) => a.from - b.from);
  const line = intervals.map(({ from, state, rule }) => `${(from - story.startMs) / 1_000} ${state} ${rule}`);
  return { fold, intervals, line };
}

/** A node without a list that gets a block a second, and shows blocks up to `includedTo(second)` as included. */
function follow(to: number, includedTo: (at: number) => number, story = new HealthStory()): HealthStory {
  story.describe(0.5, false).source(1, 'NOT_AGGREGATOR');
  for (let at = 2; at <= to; at += 1) {
    story.blocks(at, at, includedTo(at));
    if (at % 20 === 0) story.looked('submissions', at - 20, at, 5).source(at, 'NOT_AGGREGATOR');
  }
  return story;
}
const lively = (at: number): number => at - 1;

describe('finality of a node that submits nothing', () => {
  it('is frozen when its inclusion stops while blocks arrive and other nodes show later inclusions', () => {
    const { line, intervals } = foldBeside(
      follow(200, (at) => Math.min(at - 2, 100)),
      lively,
    );
    expect(line.slice(-1)).toEqual(['123 CRITICAL frozen']);
    expect(intervals.at(-1)?.reason).toMatch(
      /^Finality is frozen: no block became final at this node for 21 s, while other nodes of the chain reached block 12\d; first waiting block: 101 /,
    );
  });

  it('is as before once inclusion moves on', () => {
    const story = follow(200, (at) => (at < 150 ? Math.min(at - 2, 100) : at - 2));
    const { line, intervals } = foldBeside(story, lively);
    expect(line.slice(-2)).toEqual(['123 CRITICAL frozen', '150 UNKNOWN not-aggregator']);
    // Which condition finality waits for is said only until the condition holds.
    const reasons = [intervals.at(-3), intervals.at(-1)].map((each) => each?.reason);
    expect(reasons.map((reason) => reason?.includes('Finality is judged'))).toEqual([true, false]);
  });

  it('is frozen through a restart of the node', () => {
    const story = follow(140, (at) => Math.min(at - 2, 100));
    story
      .probe(141, 'reachable', 'FAILED')
      .probe(150, 'reachable', 'FAILED')
      .probe(160, 'reachable', 'OK', 200);
    for (let at = 161; at <= 200; at += 1) story.blocks(at, at, 100);
    expect(foldBeside(story, lively).line).toContain('123 CRITICAL frozen');
    expect(foldBeside(story, lively).fold.daLine?.rule).toBe('frozen');
  });

  it.each<[string, (at: number) => number, (at: number) => number]>([
    ['no other node shows further ones', (at) => Math.min(at - 2, 100), (at) => Math.min(at - 1, 110)],
    ['it was never seen to move on', () => 3, lively],
    ['it moves on late', (at) => Math.max(at - 60, 1), lively],
    ['it moves on in steps of a minute', (at) => 60 * Math.floor(at / 60), lively],
  ])('is not frozen where %s', (_, includedTo, othersTo) => {
    const { line } = foldBeside(follow(3_600, includedTo), othersTo);
    expect(line.filter((each) => each.includes('CRITICAL'))).toEqual([]);
  });

  it('is not frozen where no blocks arrive', () => {
    const story = follow(100, (at) => at - 2).quiet('blocks', 100, 300, 5);
    expect(foldBeside(story, lively).line.filter((each) => each.includes('CRITICAL'))).toEqual([]);
  });

  it('is not judged by a count from before an unmonitored time', () => {
    const story = follow(103, (at) => Math.min(at - 2, 100));
    story.blocks(600, 600, 100).blocks(602, 602, 600);
    expect(foldBeside(story, lively).line.filter((each) => each.includes('CRITICAL'))).toEqual([]);
  });

  it('says what it waits for while it is not judged', () => {
    const { intervals } = foldBeside(
      follow(60, () => 3),
      lively,
    );
    expect(intervals.at(-1)?.reason).toMatch(
      /once its own inclusion height has advanced at 10 DA heights while monitored\.$/,
    );
  });
});

describe('the judgement of a node by its inclusion', () => {
  it('needs it to have moved on to several DA heights while it was monitored', () => {
    const known = (to: number, includedTo: (at: number) => number) =>
      isInclusionKnown(foldBeside(follow(to, includedTo), () => 0).fold.blocks);
    expect(known(300, () => 3)).toBe(false);
    expect(known(6, (at) => at - 2)).toBe(false);
    expect(known(20, (at) => at - 2)).toBe(true);
  });

  it('does not begin with older blocks that are being fetched', () => {
    const story = new HealthStory();
    const looks = { first: story.startMs, last: story.startMs, count: 1, longestGapMs: 0 };
    const at = BigInt(story.startMs) * 1_000n;
    const events = Array.from({ length: 30 }, (_, index) => ({
      ...story.events[0],
      observedAt: at,
      recordedAt: at,
      position: BigInt(index + 2),
      type: 'BlocksObserved',
      body: {
        looks,
        chain: 'told',
        lineage: 1,
        from: String(index + 1),
        to: String(index + 1),
        count: 1,
        head: index < 29 ? '30' : undefined,
        ...contentOf(1),
        headerDaHeights: [String(index + 1)],
        dataDaHeights: [String(index + 1)],
      },
    }));
    story.events.push(...(events as unknown as typeof story.events));
    const { fold } = foldBeside(story, () => 0);
    expect(fold.blocks).toMatchObject({ frontier: { next: '31' }, daHeight: null });
    expect(isInclusionKnown(fold.blocks)).toBe(false);
  });

  it('begins even if polls are so far apart that some of the new blocks are included already', () => {
    const story = new HealthStory();
    const start = { ...story.events[0] };
    const push = (seconds: number, type: string, body: object) => {
      const at = BigInt(story.startMs + seconds * 1_000) * 1_000n;
      const look = { first: story.startMs + seconds * 1_000, last: story.startMs + seconds * 1_000 };
      const common = { chain: 'told', lineage: 1, looks: { ...look, count: 1, longestGapMs: 0 } };
      const position = BigInt(story.events.length + 1);
      const event = {
        ...start,
        observedAt: at,
        recordedAt: at,
        position,
        type,
        body: { ...common, ...body },
      };
      story.events.push(event as unknown as (typeof story.events)[number]);
    };
    // Four of six new blocks are included; the other two are included once the next six arrive.
    for (let first = 1; first <= 90; first += 6) {
      const shown = ['0', '1', '2', '3'].map((more) => String(first + Number(more)));
      const included = [...shown, null, null];
      const range = { from: String(first), to: String(first + 5), count: 6, txCounts: 1 };
      push(first, 'BlocksObserved', { ...range, headerDaHeights: included, dataDaHeights: included });
      const late = [first - 2, first - 1].filter((height) => height > 0).map(String);
      const heights = late.map((height) => [height, height, height]);
      if (late.length > 0) push(first + 0.2, 'BlockInclusionObserved', { heights });
    }
    const { fold } = foldBeside(story, () => 0);
    expect(fold.blocks.frontier.next).toBe('89');
    expect(isInclusionKnown(fold.blocks)).toBe(true);
  });
});
