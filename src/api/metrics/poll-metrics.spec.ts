import { Registry } from 'prom-client';
import type { NewEvent } from '../../domain/events.js';
import { PollMetrics } from './poll-metrics.js';

const submissions = (...rows: string[]): NewEvent[] => [
  {
    type: 'SubmissionsObserved',
    observedAt: 0,
    body: {
      looks: [],
      overlap: 0,
      anchored: true,
      source: 0,
      ring: 0,
      newestFirst: true,
      ringSize: 100,
      firstSequence: 1,
      rows,
    } as never,
  },
];

async function countsOf(metrics: PollMetrics): Promise<string[]> {
  const registry = new Registry();
  metrics.register(registry);
  const text = await registry.getSingleMetricAsString('hindsight_observed_submissions_total');
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('the counter of submissions', () => {
  it('begins at 0 for each status, and counts the rows of each by their content', async () => {
    const metrics = new PollMetrics();
    metrics.watches('n1', 'c1');
    expect(await countsOf(metrics)).toHaveLength(11);
    metrics.recorded('n1', submissions('{"status_code":"SUCCESS"}', '{"status_code":"TOO_BIG"}', 'no JSON'));
    metrics.recorded('n1', submissions('{"status_code":"SUCCESS"}'));
    expect((await countsOf(metrics)).filter((line) => !line.endsWith(' 0'))).toEqual([
      'hindsight_observed_submissions_total{node="n1",chain="c1",status="SUCCESS"} 2',
      'hindsight_observed_submissions_total{node="n1",chain="c1",status="TOO_BIG"} 1',
      'hindsight_observed_submissions_total{node="n1",chain="c1",status="OTHER"} 1',
    ]);
  });

  it('keeps one chain for a node, however many it claims', async () => {
    const metrics = new PollMetrics();
    metrics.watches('n1', null);
    metrics.watches('n1', 'c0');
    for (let turn = 1; turn <= 50; turn++) metrics.watches('n1', `c${turn}`);
    metrics.watches('n1', null);
    metrics.recorded('n1', submissions('{"status_code":"SUCCESS"}'));
    const lines = await countsOf(metrics);
    expect(lines).toHaveLength(11);
    expect(lines.every((line) => line.includes('chain="c50"'))).toBe(true);
  });
});
