import { Registry } from 'prom-client';
import { SmallLog } from '../../../test/support/small-log.js';
import type { NewEvent } from '../../domain/events.js';
import { microsToMillis } from '../../domain/time.js';
import { BlockMetrics } from './block-metrics.js';

/** The count and the sum of a histogram, after these events of a log. */
async function measure(log: SmallLog): Promise<Record<string, number>> {
  const metrics = new BlockMetrics();
  for (const { type, body, observedAt } of log.events)
    metrics.recorded('alpha', { type, body, observedAt: microsToMillis(observedAt) } as NewEvent);
  const registry = new Registry();
  metrics.register(registry);
  const text = await registry.metrics();
  const found = [...text.matchAll(/^hindsight_(\w+)_seconds_(count|sum)\{node="alpha"\} (\S+)$/gm)];
  return Object.fromEntries(found.map(([, name, part, value]) => [`${name} ${part}`, Number(value)]));
}

describe('the histograms of blocks', () => {
  it('measure consecutive blocks by their own times, across polls, and none of the others', async () => {
    const log = new SmallLog();
    log.blocks('alpha', 'lab-1', [
      { height: 1, at: 1_000 },
      { height: 2, at: 3_000 },
      { height: 3, at: 3_500 },
    ]);
    log.blocks('alpha', 'lab-1', [
      { height: 4, at: 4_000 },
      { height: 9, at: 60_000 },
      { height: 10, at: 59_000 },
    ]);
    expect(await measure(log)).toEqual({ 'block_time count': 3, 'block_time sum': 3 });
  });

  it('measure no time of more than a day, which is a clock that is wrong', async () => {
    const log = new SmallLog();
    log.blocks('alpha', 'lab-1', [
      { height: 1, at: 0 },
      { height: 2, at: 86_400_000 },
      { height: 3, at: 172_800_001 },
    ]);
    expect(await measure(log)).toEqual({ 'block_time count': 1, 'block_time sum': 86_400 });
  });

  it('wait for the newest 2,000 blocks of a node', async () => {
    const log = new SmallLog();
    log.blocks(
      'alpha',
      'lab-1',
      Array.from({ length: 2_001 }, (_, index) => ({ height: index + 1, at: 0 })),
    );
    log.now = 5_000;
    log.include('alpha', 'lab-1', [
      { height: 1, headerDa: 5 },
      { height: 2, headerDa: 5 },
    ]);
    expect(await measure(log)).toMatchObject({ 'inclusion count': 1, 'inclusion sum': 5 });
  });

  it('measure the inclusion of blocks that were seen before it, once header and data are included', async () => {
    const log = new SmallLog();
    log.blocks('alpha', 'lab-1', [
      { height: 1, at: 1_000, headerDa: 5 },
      { height: 2, at: 2_000, dataBytes: 40 },
      { height: 3, at: 3_000 },
      { height: 4, at: 4_000, dataBytes: 40 },
    ]);
    log.now = 10_000;
    log.include('alpha', 'lab-1', [{ height: 2, headerDa: 7 }]);
    log.now = 12_000;
    log.include('alpha', 'lab-1', [
      { height: 2, headerDa: 7, dataDa: 8 },
      // Its header alone: a block without transactions has no data to include.
      { height: 3, headerDa: 8 },
      { height: 4, headerDa: 8 },
      { height: 1, headerDa: 5, dataDa: 5 },
    ]);
    log.include('alpha', 'lab-1', [{ height: 3, headerDa: 8, dataDa: 8 }]);
    expect(await measure(log)).toMatchObject({ 'inclusion count': 2, 'inclusion sum': 19 });
  });
});
