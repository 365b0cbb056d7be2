import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { newLoops } from '../../../test/support/loops.js';
import { SystemClock } from '../clock.js';
import { Loop, type LoopWork, LoopDirectory } from './loop.js';
import { summariseLoops } from './loop-summary.js';
import { LoopsModule } from './loops.module.js';

const BACKOFF = { firstMs: 500, longestMs: 2_000 };

describe('a loop', () => {
  const clock = new ManualClock();

  const loopOf = (turn: LoopWork['turn'], onFailure?: LoopWork['onFailure']): Loop =>
    new Loop({ name: 'alpha/blocks', turn, ...(onFailure && { onFailure }) }, { clock, backoff: BACKOFF });

  it('starts its first iteration on request, and each later one after the pause that the previous one returned', async () => {
    const turns: number[] = [];
    const began = clock.now();
    const loop = loopOf(async () => {
      turns.push(clock.now() - began);
      return turns.length * 100;
    });
    loop.start(50);
    await clock.advance(1_000);
    await loop.stop();
    expect(turns).toEqual([50, 150, 350, 650]);
  });

  it('pauses longer after each failure, up to a bound, and starts again with short pauses after a success', async () => {
    const retries: number[] = [];
    let taken = 0;
    const loop = loopOf(
      async () => {
        taken += 1;
        if (taken === 5) return 10;
        throw new Error(`turn ${taken}`);
      },
      (_error, retryInMs) => retries.push(retryInMs),
    );
    loop.start();
    await clock.advance(6_100);
    await loop.stop();
    expect(retries.slice(0, 6)).toEqual([500, 1_000, 2_000, 2_000, 500, 1_000]);
  });

  it('reports its work, since when, the result of the last iteration and when the next is due', async () => {
    const began = clock.now();
    let fails = true;
    const loop = loopOf(async () => {
      if (fails) throw new Error('the database is away');
      return 10_000;
    });
    expect(loop.view).toEqual({
      name: 'alpha/blocks',
      at: began,
      state: 'asleep',
      since: began,
      last: undefined,
      nextAt: undefined,
    });
    loop.start();
    await clock.advance(100);
    expect(loop.view).toMatchObject({
      state: 'asleep',
      since: began,
      last: { at: began, error: 'the database is away' },
      nextAt: began + 500,
    });
    fails = false;
    await clock.advance(400);
    expect(loop.view).toMatchObject({ last: { at: began + 500 }, nextAt: began + 10_500 });
    expect(loop.view.last?.error).toBeUndefined();
    await loop.stop();
    expect(loop.view).toMatchObject({ state: 'ended', nextAt: undefined });
  });

  it('ends after the iteration under way, which is notified, and does not count its late errors', async () => {
    let isTold = false;
    const failures: unknown[] = [];
    const loop = loopOf(
      (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            isTold = true;
            reject(new Error('cut short'));
          });
        }),
      (error) => failures.push(error),
    );
    loop.start();
    await clock.advance(10);
    expect(loop.view.state).toBe('working');
    await loop.stop();
    expect(isTold).toBe(true);
    expect(failures).toEqual([]);
    expect(loop.view.last).toBeUndefined();
  });

  it('stretches and shrinks its pauses by its jitter', async () => {
    const turns: number[] = [];
    const began = clock.now();
    const jitter = { share: 0.1, random: () => (turns.length % 2 === 0 ? 0 : 1) };
    const work = { name: 'jittered', turn: async () => turns.push(clock.now() - began) && 1_000 };
    const loop = new Loop(work, { clock, backoff: BACKOFF, jitter });
    loop.start();
    await clock.advance(2_500);
    await loop.stop();
    expect(turns).toEqual([0, 1_100, 2_000]);
  });
});

describe('the directory of loops', () => {
  const clock = new SystemClock();
  const sleeper = (name: string): Loop =>
    new Loop({ name, turn: async () => 3_600_000 }, { clock, backoff: BACKOFF });

  it('has the timer of the next iteration in the registry of the scheduler, under the name of the loop, until its end', async () => {
    const registry = new SchedulerRegistry();
    const directory = new LoopDirectory(registry);
    const [blocks, probes] = [sleeper('alpha/blocks'), sleeper('alpha/probes')];
    directory.start(probes);
    directory.start(blocks);
    while (registry.getTimeouts().length < 2) await clock.sleep(1);
    const timer: NodeJS.Timeout = registry.getTimeout('alpha/blocks');
    expect(timer.hasRef()).toBe(true);
    expect(directory.getViews().map(({ name }) => name)).toEqual(['alpha/probes', 'alpha/blocks']);
    await directory.stop(blocks);
    expect(registry.doesExist('timeout', 'alpha/blocks')).toBe(false);
    await directory.stop(probes);
    expect(directory.getViews()).toEqual([]);
  });

  it('refuses a second loop of the same name, and lets the name be used again', async () => {
    const directory = newLoops();
    const [first, second] = [sleeper('alpha/blocks'), sleeper('alpha/blocks')];
    directory.start(first);
    expect(() => directory.start(second)).toThrow();
    expect(second.view.last).toBeUndefined();
    await directory.stop(second);
    expect(directory.getViews()).toHaveLength(1);
    await directory.stop(first);
    const third = sleeper('alpha/blocks');
    directory.start(third);
    expect(directory.getViews()).toHaveLength(1);
    await directory.stop(third);
  });

  it('tolerates that the scheduler clears its timeouts at shutdown', async () => {
    const registry = new SchedulerRegistry();
    const directory = new LoopDirectory(registry);
    const loop = sleeper('alpha/blocks');
    directory.start(loop);
    while (!registry.doesExist('timeout', 'alpha/blocks')) await clock.sleep(1);
    registry.deleteTimeout('alpha/blocks');
    expect(loop.view.state).not.toBe('ended');
    await directory.stop(loop);
    expect(loop.view.state).toBe('ended');
  });

  it('ends six thousand sleeping loops with the application in less than the time that a process has for it', async () => {
    @Injectable()
    class Sleepers implements OnApplicationBootstrap, BeforeApplicationShutdown {
      readonly loops = Array.from({ length: 6_000 }, (_, index) => sleeper(`node-${index}/blocks`));
      constructor(readonly directory: LoopDirectory) {}
      onApplicationBootstrap(): void {
        for (const loop of this.loops) this.directory.start(loop);
      }
      async beforeApplicationShutdown(): Promise<void> {
        await Promise.all(this.loops.map((loop) => this.directory.stop(loop)));
      }
    }
    const module = { module: class {}, imports: [LoopsModule], providers: [Sleepers] };
    const app = await NestFactory.createApplicationContext(module, { logger: false });
    const { loops, directory } = app.get(Sleepers);
    while (loops.some(({ view }) => view.last === undefined)) await clock.sleep(1);
    expect(summariseLoops(directory.getViews())).toMatchObject({ total: 6_000, listed: [] });
    // CPU time of this process, whatever else the machine does.
    const before = process.cpuUsage();
    await app.close();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(5);
    expect(new Set(loops.map(({ view }) => view.state))).toEqual(new Set(['ended']));
    expect(directory.getViews()).toEqual([]);
  });
});
