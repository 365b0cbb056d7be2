import { HealthStory } from '../../../test/support/health-story.js';
import { differText, replacedText, type NodeHistory } from './chain-history.js';
import { NO_HEALTH, type HealthFold } from './health-fold.js';
import type { RuleInterval } from './health-intervals.js';
import { DEFAULT_THRESHOLDS } from './health-thresholds.js';
import { foldHealth } from './health.js';

/** The line of the node itself, while other nodes of its chain show these histories in some seconds. */
function nodeLine(story: HealthStory, othersAt: (at: number) => readonly NodeHistory[] = () => []) {
  const rows = new Map<number, RuleInterval>();
  let fold: HealthFold = NO_HEALTH;
  for (const event of story.events) {
    const at = (Number(event.observedAt) / 1_000 - story.startMs) / 1_000;
    const others = { next: null, isDaOut: false, histories: othersAt(at) };
    const { state, changes } = foldHealth(fold, event, DEFAULT_THRESHOLDS, others);
    fold = state;
    for (const change of changes) {
      if (change.component !== 'NODE') continue;
      if (change.kind === 'drop') rows.delete(change.from);
      else rows.set(change.interval.from, change.interval);
    }
  }
  const intervals = [...rows.values()].sort((a, b) => a.from - b.from);
  return {
    fold,
    reasons: intervals.map(({ reason }) => reason),
    line: intervals.map(({ from, state, rule }) => `${(from - story.startMs) / 1_000} ${state} ${rule}`),
  };
}

/** Blocks every second and probes every five, after `from` up to `to`; the head lags `shift` behind the seconds. */
function moving(story: HealthStory, from: number, to: number, shift = 0): HealthStory {
  for (let at = from + 1; at <= to; at += 1) {
    story.blocks(at, at - shift, at - shift - 1);
    if (at % 5 === 0) story.quiet('probes', at - 5, at, 5);
  }
  return story;
}

const up = () => new HealthStory().describe(0.2, true).probe(0.5, 'reachable', 'OK', 200);
const HASH = /\b[0-9a-f]{64}\b/g;

/** The facts about the node's history after folding a story. */
function historyOf(story: HealthStory, node: string): NodeHistory {
  const { chain, lineage, first, lookedAt } = nodeLine(story).fold.blocks;
  if (chain === null || lineage === null || first === null) throw new Error('The story has no blocks');
  return { node, chain, lineage, first, shownAt: lookedAt };
}

describe('a chain that begins again under its id', () => {
  const restarted = () => moving(moving(up(), 1, 40).turn(42), 42, 120, 41);

  it('is a warning for an hour, with the hashes of both first blocks', () => {
    const story = restarted();
    const { line, reasons } = nodeLine(moving(story, 120, 3_700, 41));
    expect(line.slice(-2)).toEqual(['42 WARNING history-replaced', '3642 HEALTHY healthy']);
    const reason = reasons.at(-2) ?? '';
    const [now, before] = reason.match(HASH) ?? [];
    expect(reason).toContain(`Chain told began again: block 1 is now ${now} (history told/2)`);
    expect(before).toBe(historyOf(moving(up(), 1, 10), 'old').first.hash);
    expect(now).not.toBe(before);
  });

  it('is also reported for a node that was never seen before', () => {
    const old = historyOf(moving(up(), 1, 40), 'old');
    const fresh = moving(up().quiet('probes', 0.5, 42, 5).turn(42), 42, 60, 41);
    expect(nodeLine(fresh, () => [{ ...old, shownAt: null }]).line.at(-1)).toBe(
      '42 WARNING history-replaced',
    );
  });

  it('is reported only by the node that showed it first', () => {
    const old = historyOf(moving(up(), 1, 40), 'old');
    const first = { ...old, node: 'first', lineage: 2 };
    const fresh = moving(up().quiet('probes', 0.5, 42, 5).turn(42), 42, 60, 41);
    const { line } = nodeLine(fresh, () => [{ ...old, shownAt: null }, first]);
    expect(line.at(-1)).toBe('0.5 HEALTHY healthy');
  });

  it('is reported again if the node returns to its old blocks', () => {
    const story = moving(restarted().turn(121, 41, 1), 121, 130, 80);
    const { fold, reasons } = nodeLine(story);
    expect(fold.blocks.first?.height).toBe('1');
    expect(reasons.at(-1)).toMatch(/began again: block 1 is now \w{64} \(history told\/1\)/);
    expect(fold.blocks.replaced?.lineage).toBe(2);
  });
});

describe('a node whose blocks differ from the recorded blocks', () => {
  it('reports the block from which on they differ', () => {
    const story = moving(moving(up(), 1, 40).turn(42, 30), 42, 60, 12);
    const { line, reasons } = nodeLine(story);
    expect(line.at(-1)).toBe('42 WARNING history-replaced');
    expect(reasons.at(-1)).toMatch(/^Chain told shows other blocks than before from block 30 on/);
  });

  it('reports no block if the record begins with a block that both histories have', () => {
    const { blocks } = nodeLine(moving(moving(up(), 1, 40).turn(42, 30), 42, 60, 12)).fold;
    const shared = { ...blocks, first: { height: '1', hash: 'aa' } };
    const replaced = { lineage: 1, first: { height: '1', hash: 'aa' }, at: 0 };
    expect(replacedText({ ...shared, replaced })).toBe(
      'Chain told shows other blocks than before: history told/2, told/1 before. Hindsight keeps both histories.',
    );
    const otherHistory = { ...replaced, nodes: ['b', 'c', 'd', 'e'], since: 0 };
    expect(differText({ ...shared, otherHistory })).toBe(
      'Nodes of chain told show different blocks. This node shows the newer history (told/2), b, c, d and 1 more show the older one (told/1).',
    );
  });

  it('is normal where two histories share the blocks before these', () => {
    const story = moving(moving(up(), 1, 40).turn(42, 41), 42, 60, 1);
    expect(nodeLine(story).line).toEqual(['0 UNKNOWN not-watched', '0.5 HEALTHY healthy']);
  });
});

describe('nodes of one chain that show two histories', () => {
  const other = (shownAt: number | null): NodeHistory => {
    const story = moving(up().turn(1.5), 2, 10, 1);
    return {
      ...historyOf(story, 'beta'),
      shownAt: shownAt === null ? null : story.startMs + shownAt * 1_000,
    };
  };

  it('are critical while both are shown, and both are named', () => {
    const { line, reasons } = nodeLine(moving(up(), 1, 60), (at) => [other(at >= 20 && at < 40 ? at : null)]);
    expect(line.slice(-3)).toEqual([
      '0.5 HEALTHY healthy',
      '20 CRITICAL histories-differ',
      '39 HEALTHY healthy',
    ]);
    const reason = reasons.at(-2) ?? '';
    expect(reason).toContain(
      'This node shows the older history (told/1), beta shows the newer one (told/2).',
    );
    expect(new Set(reason.match(HASH)).size).toBe(2);
  });

  it('are in no trouble once the other node was not polled for long', () => {
    const { line } = nodeLine(moving(up(), 1, 200), () => [other(20)]);
    expect(line.slice(-2)).toEqual(['2 CRITICAL histories-differ', '116 HEALTHY healthy']);
  });

  it('are in no trouble if they show the same history', () => {
    const { line } = nodeLine(moving(up(), 1, 60), (at) => [{ ...other(at), lineage: 1 }]);
    expect(line.at(-1)).toBe('0.5 HEALTHY healthy');
  });
});
