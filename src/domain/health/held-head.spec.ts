import fc from 'fast-check';
import { HealthStory } from '../../../test/support/health-story.js';
import { tries } from '../../../test/support/tries.js';
import { NO_HEALTH, type HealthFold } from './health-fold.js';
import type { RuleInterval } from './health-intervals.js';
import { DEFAULT_THRESHOLDS } from './health-thresholds.js';
import { foldHealth } from './health.js';

/** The lines of a story while another node of the chain waits for its DA layer in some seconds. */
function linesOf(story: HealthStory, isDaOut: (at: number) => boolean = () => false) {
  const rows = { DA: new Map<number, RuleInterval>(), NODE: new Map<number, RuleInterval>() };
  let fold: HealthFold = NO_HEALTH;
  for (const event of story.events) {
    const at = (Number(event.observedAt) / 1_000 - story.startMs) / 1_000;
    const { state, changes } = foldHealth(fold, event, DEFAULT_THRESHOLDS, {
      next: null,
      isDaOut: isDaOut(at),
      histories: [],
    });
    fold = state;
    for (const change of changes) {
      if (change.component !== 'DA' && change.component !== 'NODE') continue;
      if (change.kind === 'drop') rows[change.component].delete(change.from);
      else rows[change.component].set(change.interval.from, change.interval);
    }
  }
  const line = (component: 'DA' | 'NODE') =>
    [...rows[component].values()]
      .sort((a, b) => a.from - b.from)
      .map(({ from, state, rule }) => `${(from - story.startMs) / 1_000} ${state} ${rule}`);
  return { da: line('DA'), node: line('NODE') };
}

/** A poll of the blocks with `head` as the newest. */
function look(story: HealthStory, at: number, head: number, before: number): void {
  if (head > before) story.blocks(at, head, 29);
  else story.quiet('blocks', at - 1, at);
}

/** A node that is healthy for 30 s. Then each attempt fails, and from `haltAt` on it produces no block, up to `to`. */
function failing(haltAt: number, to: number): HealthStory {
  const story = new HealthStory().probe(0.5, 'reachable', 'OK', 200).well(0, 30);
  for (let at = 31; at <= to; at += 1) {
    story.rows(at, 'x');
    look(story, at, Math.min(at, haltAt), Math.min(at - 1, haltAt));
    if (at % 20 === 0) story.quiet('probes', at - 20, at, 5);
  }
  return story;
}

describe('a head that does not move while the DA layer fails', () => {
  it('is no trouble of the node', () => {
    const { da, node } = linesOf(failing(60, 120));
    expect(da.at(-1)).toBe('35 CRITICAL failing');
    expect(node.slice(1)).toEqual(['0.5 HEALTHY healthy', '71 UNKNOWN head-held']);
  });

  it('is no trouble of the node however few blocks may wait', () => {
    fc.assert(
      fc.property(fc.integer({ min: 30, max: 60 }), (haltAt) => {
        const { da, node } = linesOf(failing(haltAt, 120));
        expect(da.at(-1)).toBe('35 CRITICAL failing');
        expect(node.slice(1)).toEqual(['0.5 HEALTHY healthy', expect.stringContaining('UNKNOWN head-held')]);
      }),
      tries(31),
    );
  });

  it('is trouble of a node that hangs completely: no attempt ends', () => {
    const story = new HealthStory().probe(0.5, 'reachable', 'OK', 200).well(0, 30).blocks(31, 31, 29);
    for (let at = 32; at <= 90; at += 1) story.quiet('blocks', at - 1, at).rows(at, '');
    expect(linesOf(story).node.at(-1)).toBe('51 CRITICAL head-still');
  });

  it('is trouble if attempts fail now and then', () => {
    const story = new HealthStory().probe(0.5, 'reachable', 'OK', 200).well(0, 30);
    for (let at = 31; at <= 70; at += 1) story.rows(at, at % 2 === 0 ? '.' : 'x').quiet('blocks', at - 1, at);
    expect(linesOf(story).node.slice(-2)).toEqual(['41 WARNING head-late', '51 CRITICAL head-still']);
  });

  it('has time for its next block once submissions succeed', () => {
    const story = failing(60, 120).rows(121, '.').quiet('blocks', 121, 124).blocks(125, 70, 40);
    expect(linesOf(story).node.slice(-2)).toEqual(['71 UNKNOWN head-held', '122 HEALTHY healthy']);
  });

  it('is trouble if no block comes although submissions succeed again', () => {
    const story = failing(60, 120);
    for (let at = 121; at <= 150; at += 1) story.rows(at, '.').quiet('blocks', at - 1, at);
    expect(linesOf(story).node.slice(-3)).toEqual([
      '121 HEALTHY healthy',
      '131 WARNING head-late',
      '141 CRITICAL head-still',
    ]);
  });

  it('is trouble if the DA layer fails later', () => {
    const story = new HealthStory().probe(0.5, 'reachable', 'OK', 200).well(0, 30).blocks(31, 31, 29);
    for (let at = 32; at <= 90; at += 1) story.quiet('blocks', at - 1, at).rows(at, at < 60 ? '' : 'x');
    expect(linesOf(story).node.at(-1)).toBe('51 CRITICAL head-still');
  });

  it('is trouble of a follower that stopped before the DA layer failed at another node', () => {
    const story = new HealthStory().describe(0.1, false).probe(0.5, 'reachable', 'OK', 200);
    for (let at = 2; at <= 90; at += 1) look(story, at, Math.min(at, 31), Math.min(at - 1, 31));
    const { node } = linesOf(story, (at) => at >= 60);
    expect(node.at(-1)).toMatch(/CRITICAL head-still$/);
  });

  it('is trouble while submissions succeed', () => {
    const story = new HealthStory().probe(0.5, 'reachable', 'OK', 200).well(0, 30);
    for (let at = 31; at <= 60; at += 1) story.rows(at, '.').quiet('blocks', at - 1, at);
    expect(linesOf(story).node.slice(-2)).toEqual(['41 WARNING head-late', '51 CRITICAL head-still']);
  });

  it('is no trouble of a follower, either', () => {
    const story = new HealthStory().describe(0.1, false).probe(0.5, 'reachable', 'OK', 200);
    const headAt = (at: number) => (at <= 60 ? at : Math.max(60, at - 60));
    for (let at = 2; at <= 150; at += 1) look(story, at, headAt(at), headAt(at - 1));
    const { node } = linesOf(story, (at) => at >= 31 && at < 119);
    expect(node.slice(1)).toEqual(['0.5 HEALTHY healthy', '70 UNKNOWN head-held', '118 HEALTHY healthy']);
  });

  it('never leaves an unhealthy node without any trouble', () => {
    const second = fc.integer({ min: 31, max: 90 });
    fc.assert(
      fc.property(second, second, (haltAt, failAt) => {
        const story = new HealthStory().probe(0.5, 'reachable', 'OK', 200).well(0, 30);
        for (let at = 31; at <= 600; at += 1) {
          story.rows(at, at < failAt ? '.' : at < failAt + 10 ? 'x' : '');
          look(story, at, Math.min(at, haltAt), Math.min(at - 1, haltAt));
        }
        const { da, node } = linesOf(story);
        const isTold = [...da.slice(-1), ...node.slice(-1)].some((line) => line.includes('CRITICAL'));
        expect(isTold).toBe(true);
      }),
      tries(30),
    );
  });
});
