import type { Alert } from './alert-ledger.js';
import { ALERT_RULES } from './alert-rules.js';
import { SampledLines, type Finding } from './sampled-lines.js';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const RULE = 'rows-missed';

const holds = (node: string, since?: number): Finding => ({
  node,
  chain: 'a',
  holds: true,
  reason: node,
  since,
});
const unknown = (node: string): Finding => ({ node, chain: 'a', holds: 'unknown', reason: '' });

/** Lines as minutes after {@link NOW}. */
const linesOf = (lines: SampledLines): unknown[] =>
  lines.spans.map(({ node, from, to }) => [
    node,
    (from - NOW) / MINUTE,
    to === null ? null : (to - NOW) / MINUTE,
  ]);

describe('a sampled condition', () => {
  it('lasts from its first sample, or from its own start, up to the last sample', () => {
    const lines = new SampledLines();
    lines.take(RULE, [holds('n1'), holds('n2', NOW - 9 * MINUTE)], NOW);
    lines.take(RULE, [holds('n1'), holds('n2')], NOW + MINUTE);
    lines.take(RULE, [holds('n1')], NOW + 2 * MINUTE);
    expect(linesOf(lines)).toEqual([
      ['n1', 0, null],
      ['n2', -9, 1],
    ]);
    expect(lines.spans.map(({ seenAt }) => (seenAt - NOW) / MINUTE)).toEqual([2, 1]);
  });

  it('begins again after a sample without it, and stays with its chain', () => {
    const lines = new SampledLines();
    lines.take(RULE, [holds('n1')], NOW);
    lines.take(RULE, [], NOW + MINUTE);
    lines.take(RULE, [{ ...holds('n1'), chain: 'b' }], NOW + 4 * MINUTE);
    expect(linesOf(lines)).toEqual([['n1', 4, null]]);
    expect(lines.spans[0]?.chain).toBe('a');
    lines.take(RULE, [], NOW + 5 * MINUTE);
    lines.take(RULE, [{ ...holds('n1'), chain: 'b' }], NOW + 9 * MINUTE);
    expect(linesOf(lines)).toEqual([['n1', 9, null]]);
    expect(lines.spans[0]?.chain).toBe('b');
  });

  it('belongs to the chain with which it began, however its node moves', () => {
    const lines = new SampledLines();
    for (const [minute, chain] of [null, 'a', 'b'].entries())
      lines.take(RULE, [{ ...holds('n1'), chain }], NOW + minute * MINUTE);
    expect(lines.spans.map(({ chain }) => chain)).toEqual(['a']);
  });

  it('stays as it is while it is unknown', () => {
    const lines = new SampledLines();
    lines.take(RULE, [holds('n1')], NOW);
    lines.take(RULE, [unknown('n1'), unknown('n2')], NOW + MINUTE);
    expect(linesOf(lines)).toEqual([['n1', 0, null]]);
    expect(lines.spans.map(({ seenAt }) => seenAt)).toEqual([NOW]);
  });

  it('continues from the open alerts, of each of their nodes or of none', () => {
    const lines = new SampledLines();
    const alert = { rule: RULE, chain: 'a', since: NOW - 60 * MINUTE, reason: '' } as Alert;
    const open = [
      { ...alert, nodes: ['n1', 'n2'] },
      { ...alert, rule: 'disk-full', chain: null, nodes: [] },
      { ...alert, rule: 'da-failing', nodes: ['n3'] },
    ];
    lines.continue(ALERT_RULES, open, NOW);
    lines.continue(ALERT_RULES, open, NOW + MINUTE);
    lines.take(RULE, [holds('n1')], NOW + MINUTE);
    expect(linesOf(lines)).toEqual([
      ['n1', -60, null],
      ['n2', -60, 0],
      [null, -60, null],
    ]);
  });

  it('continues from an alert that another process raised after this one saw the last alert end', () => {
    const lines = new SampledLines();
    lines.take(RULE, [holds('n1')], NOW);
    lines.take(RULE, [], NOW + MINUTE);
    const alert = { rule: RULE, chain: 'a', nodes: ['n1'], reason: '' } as unknown as Alert;
    lines.continue(ALERT_RULES, [{ ...alert, since: NOW - MINUTE }], NOW + 20 * MINUTE);
    expect(linesOf(lines)).toEqual([['n1', 0, 0]]);
    lines.continue(ALERT_RULES, [{ ...alert, since: NOW + 9 * MINUTE }], NOW + 20 * MINUTE);
    expect(linesOf(lines)).toEqual([['n1', 9, null]]);
  });

  it('is forgotten an hour after it is over', () => {
    const lines = new SampledLines();
    lines.take(RULE, [holds('n1')], NOW);
    lines.take(RULE, [], NOW + MINUTE);
    lines.take(RULE, [], NOW + 60 * MINUTE);
    expect(lines.spans).toHaveLength(1);
    lines.take(RULE, [], NOW + 61 * MINUTE);
    expect(lines.spans).toEqual([]);
  });
});
