import { pino } from 'pino';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { SteppableClock } from '../../../test/support/steppable-clock.js';
import { ClockWatch, EVERY_MS, type ClockStep, ObserverClock } from './clock-watch.js';

const HOUR = 3_600_000;

/** A watch over three clocks that all begin at the same time. */
class World {
  readonly right = new ManualClock();
  readonly startMs = this.right.now();
  readonly wall = new SteppableClock(this.right);
  readonly time = new ObserverClock(this.wall, this.right.now());
  readonly steps: ClockStep[] = [];
  readonly warnings: string[] = [];
  /** The distance of the database's clock from the true time, and of the log's newest moment from that clock, in milliseconds. */
  databaseOff = 0;
  aheadMs = 0;
  isDatabaseAway = false;
  private readonly watch = new ClockWatch({
    wall: this.wall,
    time: this.time,
    readLogTime: async () => {
      if (this.isDatabaseAway) throw new Error('away');
      return { nowMs: this.right.now() + this.databaseOff, aheadMs: this.aheadMs };
    },
    record: async (step) => void this.steps.push(step),
    logger: pino(
      { level: 'warn' },
      { write: (line: string) => void this.warnings.push(JSON.parse(line).msg) },
    ),
  });

  async pass(ms: number): Promise<void> {
    const loop = this.watch.toLoop();
    loop.start(EVERY_MS);
    await this.right.advance(ms);
    await loop.stop();
  }

  /** How far the observers' time is off, milliseconds. */
  get off(): number {
    return this.time.now() - this.right.now();
  }
}

describe('the time of the observers', () => {
  it('continues when the clock of the computer is set, and the step is recorded', async () => {
    const world = new World();
    await world.pass(60_000);
    world.wall.offBy = -HOUR;
    await world.pass(10_000);
    expect(world.off).toBe(0);
    const wallBefore = world.startMs + 60_000;
    expect(world.steps).toEqual([{ wallBefore, wallAfter: wallBefore + 10_000 - HOUR, elapsedMs: 10_000 }]);
  });

  it('records no step for a clock that is slewed or drifts', async () => {
    const world = new World();
    for (let second = 0; second < 7_200; second += 10) {
      world.wall.offBy += 100;
      await world.pass(10_000);
    }
    expect(world.steps).toEqual([]);
  });

  it('records a clock that jumps back and forth once a minute at most', async () => {
    const world = new World();
    for (let second = 0; second < 600; second += 10) {
      world.wall.offBy = world.wall.offBy === 0 ? HOUR : 0;
      await world.pass(10_000);
    }
    expect(world.steps).toHaveLength(9);
  });

  it('makes up for drift against the clock of the database without ever going back', async () => {
    const world = new World();
    let shown = world.time.now();
    for (let second = 0; second < 3_600; second += 10) {
      world.databaseOff += second < 1_800 ? 20 : -40;
      await world.pass(10_000);
      expect(world.time.now()).toBeGreaterThanOrEqual(shown);
      shown = world.time.now();
      expect(Math.abs(world.off - world.databaseOff)).toBeLessThanOrEqual(41);
    }
  });

  it('follows a database that stays ahead for a minute, and none that is ahead for a moment', async () => {
    const world = new World();
    world.databaseOff = 8 * HOUR;
    await world.pass(50_000);
    expect(world.off).toBe(0);
    world.databaseOff = 0;
    await world.pass(10_000);
    world.databaseOff = 8 * HOUR;
    await world.pass(50_000);
    expect(world.off).toBe(0);
    await world.pass(30_000);
    expect(world.off).toBe(8 * HOUR);
  });

  it('does not follow a database whose clock is set back', async () => {
    const world = new World();
    world.databaseOff = -HOUR;
    await world.pass(600_000);
    expect(world.off).toBe(0);
  });

  it('warns once when the log is ahead of the clock of the database, and again the next time', async () => {
    const world = new World();
    world.aheadMs = HOUR;
    await world.pass(120_000);
    expect(world.warnings).toHaveLength(1);
    world.aheadMs = 0;
    await world.pass(20_000);
    world.aheadMs = HOUR;
    await world.pass(20_000);
    expect(world.warnings).toHaveLength(2);
  });

  it('continues to compare when the database does not answer for a while', async () => {
    const world = new World();
    world.isDatabaseAway = true;
    await world.pass(30_000);
    world.isDatabaseAway = false;
    world.databaseOff = 500;
    await world.pass(20_000);
    expect(world.off).toBe(500);
  });
});
