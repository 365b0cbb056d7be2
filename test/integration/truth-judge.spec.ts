import { ManualClock } from '../support/manual-clock.js';
import type { Span } from '../support/truth/hold-against-truth.js';
import { judge, type Blind } from '../support/truth/judge.js';
import type { ChainTold } from '../support/truth/read-told.js';
import { Stage } from '../support/truth/stage.js';

const START = Date.UTC(2026, 10, 21, 6);
const MINUTE = 60_000;
const BEFORE = { kind: 'BEFORE_START', from: -Infinity, to: START };
const ALWAYS: Span = { from: START, to: START + 10 * MINUTE };

describe('judging the record of a list without faults', () => {
  const stages: Stage[] = [];
  afterAll(() => Promise.all(stages.map((stage) => stage.close())));

  /** Ten minutes of a poster that was polled every second. */
  async function play(rows = 1): Promise<Stage> {
    const clock = new ManualClock(START);
    const stage = new Stage({ id: 'good', clock, seed: 1, lengthMs: 10 * MINUTE });
    stages.push(stage);
    const process = stage.process('p').start().post(rows);
    const address = await stage.address('a', { processes: [process] });
    stage.good.add(address.id);
    for (let second = 0; second <= 600; second += 1)
      address.looks.push({ at: START + second * 1_000, of: process });
    return stage;
  }

  function faultsOf(stage: Stage, covered: readonly Span[], more: readonly Span[] = [], blind: Blind[] = []) {
    const rows = stage.posted.map(({ text }) => text);
    const holes = [BEFORE, ...more.map((hole) => ({ ...hole, kind: 'RESET' }))];
    const told: ChainTold = {
      nodes: new Map([['good-a', { rows, holes, covered }]]),
      together: { rows, holes, covered },
    };
    return judge(stage, told, blind).faults;
  }

  it('finds nothing if the list is covered throughout, and has no gap except the one before the start', async () => {
    expect(faultsOf(await play(), [ALWAYS])).toEqual([]);
  });

  it('finds a time without coverage, of the node and of the chain', async () => {
    const covered = [
      { from: START, to: START + MINUTE },
      { from: START + 2 * MINUTE, to: ALWAYS.to },
    ];
    expect(faultsOf(await play(), covered)).toEqual([
      'good-a: not covered 06:01:00.000 to 06:02:00.000, though nothing can be missing',
      'chain good: not covered 06:01:00.000 to 06:02:00.000, though nothing can be missing',
    ]);
    expect(faultsOf(await play(), [])).toHaveLength(2);
  });

  it('finds a gap, and more gaps than are reported in full', async () => {
    const hole = { from: START + MINUTE, to: START + MINUTE + 5 };
    const stage = await play();
    expect(faultsOf(stage, [ALWAYS], [hole])).toEqual([
      'good-a: a hole of 06:01:00.000 to 06:01:00.005 where none is',
    ]);
    stage.good.clear();
    stage.mostHoles.set('good-a', 1);
    expect(faultsOf(stage, [], [hole])).toEqual([]);
    expect(faultsOf(stage, [], [hole, hole])).toEqual(['good-a: 2 holes where 1 would say it all']);
  });

  it('excuses around a death of the recorder only a list that was empty until then', async () => {
    const blind = { from: START + 5 * MINUTE, to: START + 6 * MINUTE };
    const covered = [
      { from: START, to: blind.from - MINUTE },
      { from: blind.to, to: ALWAYS.to },
    ];
    const hole = { from: blind.from - MINUTE, to: blind.to };
    expect(faultsOf(await play(0), covered, [hole], [blind])).toEqual([]);
    expect(faultsOf(await play(0), covered, [hole])).toHaveLength(3);
    expect(faultsOf(await play(1), covered, [hole], [blind])).toHaveLength(3);
  });

  it('finds a missing row, and only requires that a row after the last poll is not covered', async () => {
    const stage = await play();
    const [address] = stage.addresses;
    const told = (covered: readonly Span[]): ChainTold => {
      const all = { rows: [], holes: [], covered };
      return { nodes: new Map([['good-a', all]]), together: all };
    };
    stage.good.clear();
    expect(judge(stage, told([])).faults).toEqual([
      'good-a: 1 missing, 1 outside every hole, 0 covered, posted at 06:00:00.000',
      'chain good: 1 missing, 1 outside every hole, 0 covered, posted at 06:00:00.000',
    ]);
    address?.looks.splice(0);
    expect(judge(stage, told([])).faults).toEqual([]);
    expect(judge(stage, told([{ from: START - MINUTE, to: ALWAYS.to }])).faults).toHaveLength(2);
  });
});
