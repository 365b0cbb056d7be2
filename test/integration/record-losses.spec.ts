import { readHeld } from '../support/oracle/held.js';
import { judge } from '../support/oracle/judge.js';
import { ProjectedRecord } from '../support/oracle/projected-record.js';
import { SmallLog, type SmallBlock, type SmallRow } from '../support/small-log.js';
import { useDatabase } from '../support/use-database.js';

const dataSource = useDatabase();

const at = (...heights: number[]): SmallBlock[] =>
  heights.map((headerDa, index) => ({ height: index + 1, headerDa }));

/** Nodes that show one success each, at DA height 3, and blocks at some DA heights. */
function begin(nodes: readonly string[], ...heights: number[]): SmallLog {
  const log = new SmallLog();
  for (const id of nodes)
    log
      .register(id)
      .describe(id, 'one')
      .rows(id, [{ da: 3 }]);
  log.now += 1_000;
  return log.blocks(nodes[0] ?? '', 'one', at(3, ...heights));
}

function look(log: SmallLog, ...nodes: string[]): SmallLog {
  for (const id of [...nodes, ...nodes, ...nodes]) {
    log.now += 1_000;
    log.watch(id);
  }
  return log;
}

function lose(log: SmallLog, node: string, ...rows: SmallRow[]): SmallLog {
  log.now += 1_000;
  log.lose(node, 'SubmissionWindowLost');
  if (rows.length > 0) log.rows(node, rows);
  return log;
}

/**
 * The losses in their order as `node minLost`, and groups as `da: node`, of the loss that each is part of; the same however
 * the log is cut.
 */
async function outcomeOf({ events }: SmallLog): Promise<{ losses: string[]; groups: string[] }> {
  const outcomes = [];
  for (const batchSize of [events.length, 1, 2, 3, 5]) {
    const record = new ProjectedRecord(dataSource);
    await record.begin();
    expect(await record.apply(events, batchSize)).toEqual(events);
    const held = await readHeld(dataSource, events.at(-1)?.position ?? 0n);
    expect(judge(events, held)).toEqual([]);
    const nodeOf = new Map(held.losses.map(({ position, node }) => [position, node]));
    outcomes.push({
      losses: held.losses.map(({ node, minLost }) => `${node} ${minLost}`),
      groups: held.groups.map(({ daHeight, loss }) => `${daHeight}: ${nodeOf.get(loss ?? 0n) ?? 'none'}`),
    });
    expect(outcomes.at(-1)).toEqual(outcomes[0]);
  }
  return outcomes[0] ?? { losses: [], groups: [] };
}

describe('what was reconstructed is part of a loss', () => {
  it('where no other one can have held it', async () => {
    const log = lose(begin(['a'], 7, 12, 17, 20), 'a', { da: 12 });
    lose(log, 'a', { da: 20 });
    expect(await outcomeOf(look(log, 'a'))).toEqual({
      losses: ['a 1', 'a 1'],
      groups: ['7: a', '17: a'],
    });
  });

  it('but of none where it fell into one of two holes between the same successes', async () => {
    const log = lose(begin(['a'], 7, 12), 'a', { status: 'Error' });
    lose(log, 'a', { da: 12 });
    expect(await outcomeOf(look(log, 'a'))).toEqual({ losses: ['a 0', 'a 0'], groups: ['7: none'] });
  });

  it('until a second hole begins that can have held it, too; a third one changes nothing', async () => {
    const log = look(lose(begin(['a'], 7, 12, 15), 'a', { status: 'Error' }), 'a');
    const known = { losses: ['a 2'], groups: ['7: a', '12: a'] };
    expect(await outcomeOf(log)).toEqual(known);
    const then = log.events.at(-1)?.position ?? 0n;
    expect(await outcomeOf(lose(log, 'a'))).toEqual({
      losses: ['a 0', 'a 0'],
      groups: ['7: none', '12: none'],
    });
    const past = await readHeld(dataSource, then);
    expect(past.losses.map(({ node, minLost }) => `${node} ${minLost}`)).toEqual(known.losses);
    expect(await outcomeOf(lose(log, 'a', { da: 8 }))).toEqual({
      losses: ['a 0', 'a 0', 'a 0'],
      groups: ['7: none', '12: none'],
    });
  });

  it('but of none where it may stand behind the hole, in a list that is out of reach', async () => {
    const log = look(lose(begin(['a'], 7), 'a'), 'a').list('a', 'UNREACHABLE');
    log.now += 700_000;
    log.blocks('a', 'one', [
      { height: 3, headerDa: 12 },
      { height: 4, headerDa: 15 },
    ]);
    expect(await outcomeOf(look(log, 'a'))).toEqual({ losses: ['a 1'], groups: ['7: a', '12: none'] });
    log.list('a', 'AVAILABLE').rows('a', [{ da: 12 }, { da: 15 }]);
    expect(await outcomeOf(look(log, 'a'))).toEqual({ losses: ['a 1'], groups: ['7: a'] });
  });

  it('until the next success shows that the hole ended below it', async () => {
    const log = look(lose(begin(['a'], 7, 12, 15), 'a'), 'a');
    expect(await outcomeOf(log)).toEqual({ losses: ['a 2'], groups: ['7: a', '12: a'] });
    expect(await outcomeOf(log.rows('a', [{ status: 'Error' }, { da: 9 }]))).toEqual({
      losses: ['a 1'],
      groups: ['7: a', '12: none'],
    });
  });

  it('but of none where lists of two nodes can have lost it, whichever was said first', async () => {
    const before = lose(lose(begin(['a', 'b'], 7, 12), 'a', { da: 12 }), 'b', { da: 12 });
    expect(await outcomeOf(look(before, 'a', 'b'))).toEqual({ losses: ['a 0', 'b 0'], groups: ['7: none'] });
    const behind = lose(look(begin(['a', 'b'], 7, 12), 'a', 'b'), 'a', { da: 12 });
    expect(await outcomeOf(behind)).toEqual({ losses: ['a 1'], groups: ['7: a'] });
    expect(await outcomeOf(lose(behind, 'b', { da: 12 }))).toEqual({
      losses: ['a 0', 'b 0'],
      groups: ['7: none'],
    });
  });

  it('again where the hole of the other node turns out to lie below it', async () => {
    const log = lose(look(begin(['a', 'b'], 7, 12), 'a', 'b'), 'a', { da: 12 });
    expect(await outcomeOf(lose(log, 'b'))).toEqual({ losses: ['a 0', 'b 0'], groups: ['7: none'] });
    expect(await outcomeOf(log.rows('b', [{ da: 5 }]))).toEqual({ losses: ['a 1', 'b 0'], groups: ['7: a'] });
  });

  it('of a node that is not watched any more, too', async () => {
    const log = lose(look(begin(['a', 'b'], 7, 12), 'a', 'b'), 'a', { da: 12 }).retire('a');
    expect(await outcomeOf(log)).toEqual({ losses: ['a 1'], groups: ['7: a'] });
    expect(await outcomeOf(lose(log, 'b', { da: 12 }))).toEqual({
      losses: ['a 0', 'b 0'],
      groups: ['7: none'],
    });
  });
});
