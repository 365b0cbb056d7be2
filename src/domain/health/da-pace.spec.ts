import fc from 'fast-check';
import { foldHistory } from '../../../test/support/health-history.js';
import { HealthStory } from '../../../test/support/health-story.js';
import { tries } from '../../../test/support/tries.js';
import { NO_DA_FACTS } from './da-facts.js';
import { frozenLimit } from './health-da-limits.js';
import { DEFAULT_THRESHOLDS } from './health-thresholds.js';

/** `from state rule` of each interval of the DA line, in seconds of the story. */
function lineOf(story: HealthStory): string[] {
  return foldHistory(story.events).intervals.DA.map(
    ({ from, state, rule }) => `${(from - story.startMs) / 1000} ${state} ${rule}`,
  );
}

function troublesOf(story: HealthStory): string[] {
  return lineOf(story).filter((each) => / (WARNING|CRITICAL) /.test(each));
}

/** A node that answers. */
function up(): HealthStory {
  return new HealthStory().probe(0, 'reachable', 'OK').probe(0, 'live', 'OK', 200);
}

/** A chain with a block a second, whose list is polled and shows nothing new. */
function pass(story: HealthStory, from: number, to: number): void {
  for (let at = from; at < to; at += 20) {
    const end = Math.min(at + 20, to);
    // Blocks posted by `from` are shown as included.
    story.blocks(end, Math.round(end), from).quiet('submissions', at, end, (end - at) / 10);
  }
}

/** Posts header and data every `pace` seconds, `count` times; the last time at `last`. */
function postsUpTo(last: number, pace: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => last - pace * (count - 1 - index)).flatMap((at) => [
    at,
    at + 1.5,
  ]);
}

describe('a chain that posts every 600 s', () => {
  it('is never in trouble where its list shows that at the first poll', () => {
    const story = new HealthStory().posts(5, postsUpTo(3, 600, 2));
    for (let posted = 603; posted < 3_600; posted += 600) {
      pass(story, posted - 598, posted + 2);
      story.posts(posted + 2, [posted, posted + 1.5]);
    }
    expect(troublesOf(story)).toEqual([]);
  });

  it('is silent once nothing was posted for twice as long', () => {
    const story = new HealthStory().posts(5, postsUpTo(3, 600, 12));
    pass(story, 5, 1_400);
    expect(troublesOf(story).at(-1)).toMatch(/^12\d\d CRITICAL silent$/);
  });

  it('recovers after the first gap, if nothing was posted before', () => {
    const story = new HealthStory().posts(5, [4]);
    pass(story, 5, 605);
    story.posts(605, [604]);
    pass(story, 605, 1_205);
    expect(lineOf(story).at(-1)).toMatch(/^6\d\d HEALTHY healthy$/);
  });

  it('recovers after the first gap, if it posted each second before a restart', () => {
    const story = new HealthStory().well(0, 60).reset(62).posts(64, [63]);
    pass(story, 64, 664);
    story.posts(664, [663]);
    pass(story, 664, 1_264);
    expect(lineOf(story).at(-1)).toMatch(/ HEALTHY healthy$/);
    expect(troublesOf(story).every((each) => Number.parseFloat(each) <= 664)).toBe(true);
  });
});

describe('a chain that posted each second and begins to post rarely, without a restart', () => {
  /** Posts header and data every `pace` seconds from 60 on, `count` times; `before` adds what comes before each post. */
  const slowed = (
    pace: number,
    count: number,
    before: (story: HealthStory, at: number) => void = () => {},
  ) => {
    const times = Array.from({ length: 60 }, (_, index) => index + 1);
    const story = up();
    for (const at of times) story.posts(at, [at]).blocks(at, at, at - 1);
    for (let post = 1; post <= count; post += 1) {
      const at = 60 + post * pace;
      pass(story, at - pace + (post > 1 ? 2 : 0), at + 2);
      before(story, at);
      story.posts(at + 2, [at, at + 1.5]);
    }
    return story;
  };

  it('is silent until two posts have shown the new pace, and never again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 13, max: 120 }), (tens) => {
        const pace = tens * 10;
        const learnt = 60 + 2 * pace + 12;
        const lines = troublesOf(slowed(pace, 6)).map((each) => Number.parseFloat(each));
        expect(lines.some((at) => at < learnt)).toBe(true);
        expect(lines.filter((at) => at > learnt)).toEqual([]);
      }),
      tries(20),
    );
  });

  it('stays silent where attempts failed in each gap: that is an outage', () => {
    const story = slowed(600, 5, (told, at) => told.rows(at + 1, 'x'));
    expect(troublesOf(story).filter((each) => each.endsWith(' CRITICAL silent'))).toHaveLength(5);
  });

  it('stays silent where the gaps are as short as an attempt may hang', () => {
    const story = slowed(100, 5);
    expect(troublesOf(story).filter((each) => each.endsWith(' CRITICAL silent'))).toHaveLength(5);
  });

  it('is silent again once its own pace of 1 s is back for a while', () => {
    const story = slowed(600, 3);
    for (let at = 1_863; at <= 1_920; at += 1) story.posts(at, [at]).blocks(at, at, at - 1);
    pass(story, 1_920, 2_400);
    expect(troublesOf(story).at(-1)).toMatch(/ CRITICAL silent$/);
  });
});

describe('inclusion that has stopped', () => {
  it('is critical after 20 s to 10 min, however rarely it moved before', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 86_400_000 }), { maxLength: 100 }), (advanceGaps) => {
        const limit = frozenLimit({ ...NO_DA_FACTS, advanceGaps }, DEFAULT_THRESHOLDS);
        expect(limit).toBeGreaterThanOrEqual(20_000);
        expect(limit).toBeLessThanOrEqual(600_000);
      }),
      tries(100),
    );
  });
});

describe('the usual pause between successes', () => {
  it('is learned from the list at the first poll, whatever the pace', () => {
    const pace = fc.integer({ min: 10, max: 7_200 });
    fc.assert(
      fc.property(pace, fc.integer({ min: 2, max: 50 }), (every, count) => {
        const story = new HealthStory().posts(5, postsUpTo(3, every, count));
        pass(story, 5, every * 1.4);
        expect(troublesOf(story)).toEqual([]);
      }),
      tries(30),
    );
  });

  it('is not learned from an outage, nor if rows are missing', () => {
    const rows = (status: string, times: readonly number[]) =>
      times.map((time) => JSON.stringify({ status, timestamp: new Date(time * 1000).toISOString() }));
    const story = new HealthStory().posts(3, [1, 2]);
    const [first] = story.events.slice(-1);
    const outage = [
      ...rows('Success', [1, 2]),
      ...rows('Error', [10, 20, 30, 40, 300]),
      ...rows('Success', [600]),
    ];
    const events = [{ ...first, body: { ...first?.body, rows: outage } }] as typeof story.events;
    expect(foldHistory(events).fold.da.successGaps).toEqual([1_000]);
    const seen = new HealthStory().posts(3, [1, 2]).posts(5, []).posts(7, [600, 601]).events;
    const lost = { type: 'SubmissionWindowLost', body: { ...seen[2]?.body, from: null } };
    const interrupted = seen.map((event, index) =>
      index === 2 ? { ...event, ...lost } : event,
    ) as typeof seen;
    expect(foldHistory(seen).fold.da.successGaps).toContain(598_000);
    expect(foldHistory(interrupted).fold.da.successGaps).not.toContain(598_000);
  });
});

describe('a DA layer that hangs', () => {
  it('is reported within 25 s, whenever it begins between two polls', () => {
    for (let phase = 0; phase < 10; phase += 1) {
      const story = up();
      const posts = Array.from({ length: 61 }, (_, at) => at + phase / 10);
      let told: number | undefined;
      for (let at = 1; at <= 90 && told === undefined; at += 1) {
        if ((at + phase) % 5 === 0) story.blocks(at, at, Math.max(1, Math.min(at, 60) - 3));
        if (at % 2 !== 0) continue;
        const fresh = posts.filter((time) => time > at - 2 && time <= at);
        if (fresh.length > 0) story.posts(at, fresh);
        else story.quiet('submissions', at - 2, at, 2);
        if (lineOf(story).at(-1)?.endsWith('CRITICAL silent')) told = at;
      }
      expect(told).toBeLessThanOrEqual(60 + 25);
    }
  });
});

describe('a slow DA layer', () => {
  it('does not flap while each success comes about as late as the one before', () => {
    const waits = fc.array(fc.integer({ min: 45, max: 80 }), { minLength: 3, maxLength: 10 });
    fc.assert(
      fc.property(waits, (gaps) => {
        const story = up().well(0, 40);
        let at = 40;
        let height = 40;
        for (const gap of gaps) {
          const from = at;
          at += gap / 10;
          for (let look = Math.ceil(from); look < at; look += 1)
            if (look % 5 === 0) story.blocks(look, (height = Math.max(look, height)), height - 3);
          story.quiet('submissions', from, at - 0.1, (at - from - 0.1) / 4).rows(at, '.');
        }
        // The warning may end once that gap has become usual.
        expect(lineOf(story).filter((each) => each.endsWith('slow'))).toHaveLength(1);
      }),
      tries(60),
    );
  });
});
