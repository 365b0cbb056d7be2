import { foldHistory } from '../../../test/support/health-history.js';
import { contentOf, HealthStory } from '../../../test/support/health-story.js';
import { NO_BLOCK_FACTS, noteBlocks, noteProgress, notePruned, noteSkipped } from './health-blocks.js';
import { DEFAULT_THRESHOLDS } from './health-thresholds.js';

/** `from state rule` of each interval, in seconds of the story. */
function lineOf(story: HealthStory, component: 'DA' | 'NODE'): string[] {
  return foldHistory(story.events).intervals[component].map(
    ({ from, state, rule }) => `${(from - story.startMs) / 1000} ${state} ${rule}`,
  );
}

function blocksOf(lineage: number, from: number, to: number) {
  const heights = { from: String(from), to: String(to), count: to - from + 1 };
  return { chain: 'told', lineage, ...heights, ...contentOf(lineage) } as unknown as Parameters<
    typeof noteBlocks
  >[1];
}

describe('an outage in which nothing was known to wait', () => {
  it('starts the age of inclusion again when submissions succeed again', () => {
    const story = new HealthStory().well(0, 30).rows(31, '.').rows(32, '.').rows(33, '.');
    for (let at = 34; at <= 90; at += 1) story.rows(at, 'x');
    story.quiet('blocks', 30, 90, 2);
    for (let at = 91; at <= 96; at += 1) story.rows(at, '.');
    expect(lineOf(story, 'DA').slice(-2)).toEqual(['38 CRITICAL failing', '91 WARNING failures']);
  });
});

describe('an outage in which nothing was attempted', () => {
  it('starts the age of inclusion again when submissions succeed again', () => {
    const story = new HealthStory().well(0, 30).rows(31, '.').rows(32, '.').rows(33, '.');
    for (let at = 34; at <= 90; at += 2) story.quiet('submissions', at - 1, at + 1).blocks(at, at, 29);
    for (let at = 91; at <= 96; at += 1) story.rows(at, '.');
    expect(lineOf(story, 'DA').slice(-2)).toEqual(['49 CRITICAL silent', '91 WARNING slow']);
  });
});

describe('a node that reports the last header it submitted', () => {
  it('has nothing pending if that header is its head, even if inclusion lags, and even if it reports only once', () => {
    const story = new HealthStory().well(0, 30).progress(31, 30, 30).progress(32, 30, null);
    story.quiet('submissions', 30, 900).quiet('blocks', 32, 900, 5);
    expect(lineOf(story, 'DA').at(-1)).toBe('1 HEALTHY healthy');
  });

  it('is silent when it has later blocks', () => {
    const story = new HealthStory().well(0, 30).progress(31, 31, 30);
    story.quiet('submissions', 30, 60);
    expect(lineOf(story, 'DA').at(-1)).toBe('45 CRITICAL silent');
  });
});

describe('a node that cannot be reached', () => {
  it('is unreachable since the first failed poll, in whatever ways it fails', () => {
    const story = new HealthStory().probe(1, 'reachable', 'REFUSED').probe(10, 'reachable', 'TIMEOUT');
    story.quiet('probes', 10, 20);
    expect(lineOf(story, 'NODE').at(-1)).toBe('1 CRITICAL unreachable');
  });
});

describe('a node that comes back', () => {
  it('has a head whose age excludes the time in which the node was unreachable', () => {
    const story = new HealthStory().probe(1, 'reachable', 'OK', 200);
    for (let at = 2; at <= 40; at += 2) story.blocks(at, at, 0);
    story.probe(41, 'reachable', 'REFUSED').quiet('probes', 41, 58).probe(59, 'reachable', 'OK', 200);
    story.quiet('blocks', 40, 64, 2);
    expect(lineOf(story, 'NODE').slice(-2)).toEqual(['41 CRITICAL unreachable', '59 HEALTHY healthy']);
  });
});

describe('a node that reports that it is catching up', () => {
  const up = () =>
    new HealthStory().probe(1, 'reachable', 'OK', 200).probe(5, 'status', 'OK', 200, { catchingUp: true });
  const moving = (story: HealthStory, to: number) => {
    for (let at = 6; at <= to; at += 2) story.quiet('probes', at - 2, at).blocks(at, at, 0);
    return story;
  };

  it('gets a warning after thirty seconds in which its head moves', () => {
    const story = moving(up(), 60);
    expect(lineOf(story, 'NODE').at(-1)).toBe('35 WARNING catching-up');
    const [last] = foldHistory(story.events).intervals.NODE.slice(-1);
    expect(last?.reason).toContain('Catching up with the chain for 30 s.');
  });

  it('gets no warning if it has caught up by then, or while its head has not moved since', () => {
    const caughtUp = up().probe(20, 'status', 'OK', 200, { catchingUp: false });
    expect(lineOf(moving(caughtUp, 60), 'NODE').at(-1)).toBe('1 HEALTHY healthy');
    const still = up().blocks(6, 6, 0);
    expect(lineOf(still.quiet('probes', 5, 14, 5), 'NODE').at(-1)).toBe('1 HEALTHY healthy');
  });
});

describe('a gap between successes', () => {
  const slow = (at: number) => `${at} WARNING slow`;

  it('is slow if blocks came all the time, or were known to wait; the warning stays for six seconds, or twice the wait', () => {
    const moving = new HealthStory().well(0, 30).rows(34, '.').quiet('submissions', 34, 45);
    expect(lineOf(moving, 'DA').slice(-2)).toEqual([slow(34), '42 HEALTHY healthy']);
    const waiting = new HealthStory().well(0, 30).blocks(32, 32, 30).rows(37, '.');
    expect(lineOf(waiting, 'DA').at(-1)).toBe(slow(37));
  });

  it('is slow even if the head was last polled before the first success', () => {
    const up = new HealthStory().probe(1, 'reachable', 'OK', 200);
    const story = up.well(0, 30).rows(31, '.').rows(35, '.');
    expect(lineOf(story, 'DA').at(-1)).toBe(slow(35));
  });

  it('is slow if blocks waited although the head does not move, but not if nothing waited', () => {
    const up = () => new HealthStory().probe(1, 'reachable', 'OK', 200).well(0, 30);
    const still = (story: HealthStory) => story.quiet('blocks', 32, 60, 2).rows(60, '.');
    expect(lineOf(still(up().blocks(32, 32, 30)), 'DA').at(-1)).toBe(slow(60));
    const nothing = still(up().rows(31, '.'));
    expect(lineOf(nothing, 'DA').at(-1)).toBe('1 HEALTHY healthy');
  });

  it('is not slow if no blocks came: there was nothing to submit', () => {
    const lazy = new HealthStory();
    for (let at = 1; at <= 30; at += 1) lazy.rows(at, '.');
    lazy.blocks(1, 1, 1).rows(34, '.');
    expect(lineOf(lazy, 'DA').at(-1)).toBe('1 HEALTHY healthy');
  });
});

describe('a frozen inclusion', () => {
  it('is not reported if the node reports a later block as the first pending one', () => {
    const story = new HealthStory().well(0, 30);
    for (let at = 31; at <= 60; at += 1) story.rows(at, '.').blocks(at, at, 29).progress(at, at, at, at);
    expect(lineOf(story, 'DA').at(-1)).toBe('1 HEALTHY healthy');
  });

  it('is found later by as long as the blocks were not polled', () => {
    const story = new HealthStory().well(0, 30);
    for (let at = 31; at <= 75; at += 1) story.rows(at, '.');
    for (let at = 76; at <= 100; at += 1) story.rows(at, '.').blocks(at, at, 29);
    expect(lineOf(story, 'DA').slice(-2)).toEqual(['87 WARNING inclusion-late', '97 CRITICAL frozen']);
  });
});

describe('a list that fails', () => {
  it('is out of reach from the first poll on', () => {
    const story = new HealthStory().source(3, 'UNREACHABLE');
    expect(lineOf(story, 'DA').at(-1)).toBe('3 UNKNOWN unreachable');
  });

  it('is out of reach five seconds after the last good poll, which may have found nothing new', () => {
    const story = new HealthStory().well(0, 30).looked('submissions', 30, 40).source(41, 'UNREACHABLE');
    expect(lineOf(story.quiet('submissions', 41, 60), 'DA').at(-1)).toBe('45 UNKNOWN unreachable');
  });

  it('is known to fail still from polls of anything else of the node', () => {
    const story = new HealthStory().well(0, 30).source(31, 'UNREACHABLE').quiet('probes', 29, 45, 5);
    expect(lineOf(story, 'DA').at(-1)).toBe('35 UNKNOWN unreachable');
  });

  it('is not treated as readable again because of older polls that are recorded late', () => {
    const story = new HealthStory().well(0, 30).source(31, 'UNREACHABLE').quiet('submissions', 31, 60);
    story.quiet('probes', 28, 33);
    expect(lineOf(story, 'DA').at(-1)).toBe('35 UNKNOWN unreachable');
  });

  it('leaves nothing to compare a claim with', () => {
    const story = new HealthStory().claim(1, 'healthy').well(0, 30).source(31, 'UNREACHABLE');
    story.quiet('submissions', 31, 60);
    const [last] = foldHistory(story.events).intervals.DA.slice(-1);
    expect([last?.state, last?.claim]).toEqual(['UNKNOWN', null]);
  });
});

describe('reasons', () => {
  const nodeReasons = (story: HealthStory) =>
    foldHistory(story.events).intervals.NODE.map(({ reason }) => reason);

  it('of a node name the answers, and whether it was polled', () => {
    const story = new HealthStory().probe(1, 'reachable', 'OK', 200).probe(2, 'live', 'FAILED', 503);
    story.probe(60, 'reachable', 'REFUSED').quiet('probes', 60, 70);
    const [first, , live, unwatched, ...rest] = nodeReasons(story);
    expect(first).toBe('The node has not been polled yet.');
    expect(live).toBe('The node reports that it is not live: /health/live answered 503.');
    expect(unwatched).toBe(
      'Not monitored: no poll of the node is on record for more than 30 s. Hindsight was stopped, or could not record.',
    );
    expect(rest.at(-1)).toMatch(/^Node unreachable for .*: refused\.$/);
  });

  it('of a healthy node name the block at its beginning, if one is known', () => {
    const story = new HealthStory().probe(1, 'reachable', 'OK', 200);
    expect(nodeReasons(story).at(-1)).toBe('Reachable.');
    story.blocks(2, 7, 0).probe(3, 'ready', 'FAILED', 503).probe(4, 'ready', 'OK', 200);
    expect(nodeReasons(story).at(-1)).toBe('Reachable since block 7.');
  });

  it('of a halted chain say for how long, and what pace is usual', () => {
    const story = new HealthStory().probe(1, 'reachable', 'OK', 200);
    for (let at = 2; at <= 40; at += 2) story.blocks(at, at, 0);
    story.quiet('blocks', 40, 70, 2);
    const { NODE } = foldHistory(story.events).intervals;
    expect(NODE.map(({ reason }) => reason).slice(-2)).toEqual([
      'The next block is late: none after 40 for 20 s (critical after 20 s; blocks usually 1 s apart).',
      'No new block for 20 s: the head stayed at block 40 (critical after 20 s; blocks usually 1 s apart).',
    ]);
  });

  it('distinguish a list that was never polled from one that is no longer polled', () => {
    const story = new HealthStory();
    expect(lastReason(story)).toBe('The submissions list has not been polled yet.');
    story.well(0, 30).rows(90, '.');
    const found = foldHistory(story.events).intervals.DA.find(
      ({ from, rule }) => rule === 'not-watched' && from > story.startMs,
    );
    expect(found?.reason).toContain('no poll of the submissions list is on record for more than 30 s');
  });

  const lastReason = (story: HealthStory) => foldHistory(story.events).intervals.DA.at(-1)?.reason;

  it('of a silence say whether attempts failed during it', () => {
    const hanging = new HealthStory().well(0, 30).blocks(32, 32, 29).quiet('submissions', 30, 60);
    expect(lastReason(hanging)).toContain(
      'blocks up to 32 wait, and no attempt failed either, so the submitter may hang',
    );
    const failing = new HealthStory().well(0, 30).blocks(32, 32, 29).rows(40, 'xx');
    expect(lastReason(failing.quiet('submissions', 40, 60))).toContain('and 2 attempts failed');
  });

  it('of a frozen inclusion name the first pending block and since when no block became final', () => {
    const story = new HealthStory().well(0, 30);
    for (let at = 31; at <= 60; at += 1) story.rows(at, '.').blocks(at, at, 29);
    expect(lastReason(story)).toMatch(
      /^Finality is frozen: no block became final for 22 s, although 22 submissions succeeded; first waiting block: 30 /,
    );
  });
});

describe('heights that a node did not return', () => {
  const facts = noteBlocks(NO_BLOCK_FACTS, blocksOf(1, 1, 40), 1_000, DEFAULT_THRESHOLDS);
  const skip = (height: string, to?: string) => ({
    chain: 'told',
    lineage: 1,
    height,
    ...(to && { to }),
    detail: '',
  });
  const owing = noteSkipped(noteSkipped({ ...facts, chain: 'told' }, skip('12')), skip('20', '24'));

  it('are remembered until the node returns them, or says that it dropped them', () => {
    expect(owing.skipped).toEqual([
      ['12', '12'],
      ['20', '24'],
    ]);
    const given = noteBlocks(owing, { ...blocksOf(1, 21, 22), chain: 'told' }, 2_000, DEFAULT_THRESHOLDS);
    expect(given.skipped).toEqual([
      ['12', '12'],
      ['20', '20'],
      ['23', '24'],
    ]);
    const unsaid = {
      daIncluded: null,
      lastSubmittedHeader: null,
      lastSubmittedData: null,
      firstPending: null,
    };
    const body = {
      ...unsaid,
      head: null,
      headTimeNs: null,
      headerStoreHead: null,
      oldest: '24',
      clockOffsetMs: null,
    };
    expect(noteProgress(given, body, 3_000, DEFAULT_THRESHOLDS).skipped).toEqual([['24', '24']]);
  });

  it('belong to the history that the node shows', () => {
    expect(noteSkipped(owing, { ...skip('30'), lineage: 2 }).skipped).toEqual(owing.skipped);
  });
});

describe('a node that switches to another lineage', () => {
  it('has no usual pace of blocks there until two gaps were seen', () => {
    const facts = noteBlocks(NO_BLOCK_FACTS, blocksOf(1, 1, 10), 1_000, DEFAULT_THRESHOLDS);
    const moved = noteBlocks(facts, blocksOf(1, 11, 11), 2_000, DEFAULT_THRESHOLDS);
    expect(moved.headGaps).toEqual([1_000]);
    const turned = noteBlocks(moved, blocksOf(2, 11, 12), 60_000, DEFAULT_THRESHOLDS);
    const after = noteBlocks(turned, blocksOf(2, 13, 13), 90_000, DEFAULT_THRESHOLDS);
    expect([turned.isMoving, turned.headGaps, after.headGaps]).toEqual([false, [], []]);
    expect(noteBlocks(after, blocksOf(2, 14, 15), 92_000, DEFAULT_THRESHOLDS).headGaps).toEqual([1_000]);
  });
});

describe('blocks that a node dropped', () => {
  it.each([
    ['1', '3', '4'],
    ['4', '9', '10'],
    ['2', '4', '5'],
    ['5', '9', '4'],
  ])(
    'from %s to %s no longer hold up inclusion, if the first pending block is among them',
    (from, to, next) => {
      const facts = { ...NO_BLOCK_FACTS, frontier: { next: '4', beyond: [], empty: [] } };
      const pruned = notePruned(facts, { chain: 'told', lineage: 1, from, to });
      expect(pruned.frontier.next).toBe(next);
    },
  );
});
