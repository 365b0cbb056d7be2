import { useOracleAndTables } from '../support/decided/decide-both.js';
import { SmallLog, type SmallBlock } from '../support/small-log.js';

const decide = useOracleAndTables();

const headersAt = (...daHeights: number[]): SmallBlock[] =>
  daHeights.map((headerDa, index) => ({ height: index + 1, headerDa }));

function look(log: SmallLog, ...nodes: string[]): SmallLog {
  for (const node of nodes) {
    log.now += 1_000;
    log.watch(node);
  }
  return log;
}

/** Losses as `node min`, groups as `DA: node` of the loss that each group is part of. */
function lossesOf({ events }: SmallLog): string[] {
  const { losses, groups } = decide(events);
  const nodeOf = new Map(losses.map(({ position, node }) => [position, node]));
  return [
    ...losses.map(({ node, min }) => `${node} ${min}`),
    ...groups.map(({ daHeight, loss }) => `${daHeight}: ${nodeOf.get(loss ?? 0n) ?? 'none'}`),
  ];
}

describe('a loss', () => {
  /** Lists of nodes that begin with a success at DA height 3, and blocks of the first node. */
  const begin = (nodes: string[], ...daHeights: number[]) => {
    const log = new SmallLog();
    for (const id of nodes)
      log
        .register(id)
        .describe(id, 'one')
        .list(id, 'AVAILABLE')
        .rows(id, [{ da: 3 }]);
    log.now += 1_000;
    return log.blocks(nodes[0] ?? '', 'one', headersAt(3, ...daHeights, 100));
  };
  const lose = (log: SmallLog, node: string) => {
    log.now += 1_000;
    return log.lose(node, 'SubmissionWindowLost');
  };

  it('has as its lower bound the number reconstructed between the successes around it', () => {
    const log = lose(begin(['a'], 7, 12, 17, 20), 'a').rows('a', [{ da: 12 }]);
    lose(log, 'a').rows('a', [{ da: 20 }]);
    expect(lossesOf(look(log, 'a')).slice(0, -1)).toEqual(['a 1', 'a 1', '7: a', '17: a']);
  });

  it('keeps a higher lower bound that is proven otherwise, and a maximum that blocks contradict', () => {
    const log = lose(begin(['a'], 7, 12), 'a').rows('a', [{ da: 12 }]);
    const bound = (minLost: number, maxLost: number | null) => {
      const events = look(log, 'a').events.map((event) =>
        event.type === 'SubmissionWindowLost'
          ? { ...event, body: { ...event.body, minLost, maxLost } }
          : event,
      );
      return decide(events).losses.map(({ min, max }) => [Number(min), max === null ? null : Number(max)])[0];
    };
    expect([bound(0, null), bound(4, 6), bound(0, 0)]).toEqual([
      [1, null],
      [4, 6],
      [1, 0],
    ]);
  });

  it('is bounded in the same way if the list has no kinds', () => {
    const log = new SmallLog().register('a', 'one').list('a', 'AVAILABLE');
    log.rows('a', [{ da: 3 }]).now += 1_000;
    lose(log.blocks('a', 'one', headersAt(3, 7, 12, 17, 20, 100)), 'a').rows('a', [{ da: 12 }]);
    lose(log, 'a').rows('a', [{ da: 20 }]);
    expect(lossesOf(look(log, 'a')).slice(0, -1)).toEqual(['a 1', 'a 1', '7: a', '17: a']);
  });

  it('cannot be distinguished from another loss between the same successes: neither is named', () => {
    const log = lose(lose(begin(['a'], 7, 12), 'a').rows('a', [{ status: 'Too Big' }]), 'a').rows('a', [
      { da: 12 },
    ]);
    expect(lossesOf(look(log, 'a')).slice(0, -1)).toEqual(['a 0', 'a 0', '7: none']);
  });

  it('cannot be distinguished from a loss in the list of another node', () => {
    const log = lose(lose(begin(['a', 'b'], 7, 12), 'a').rows('a', [{ da: 12 }]), 'b').rows('b', [
      { da: 12 },
    ]);
    expect(lossesOf(look(log, 'a', 'b')).slice(0, -1)).toEqual(['a 0', 'b 0', '7: none']);
  });

  it('is named for its groups until a second gap begins that may also hold them', () => {
    const log = look(lose(begin(['a'], 7, 12), 'a'), 'a');
    expect(lossesOf(log).slice(0, -1)).toEqual(['a 2', '7: a', '12: a']);
    expect(lossesOf(lose(log, 'a')).slice(0, -1)).toEqual(['a 0', 'a 0', '7: none', '12: none']);
  });

  it('is named again when the gap of another node turns out to lie below', () => {
    const log = lose(look(begin(['a', 'b'], 7, 12), 'a', 'b'), 'a').rows('a', [{ da: 12 }]);
    expect(lossesOf(lose(log, 'b')).slice(0, -1)).toEqual(['a 0', 'b 0', '7: none']);
    expect(lossesOf(log.rows('b', [{ da: 5 }])).slice(0, -1)).toEqual(['a 1', 'b 0', '7: a']);
  });

  it('still counts if its node is no longer monitored', () => {
    const log = lose(look(begin(['a', 'b'], 7, 12), 'a', 'b'), 'a').rows('a', [{ da: 12 }]);
    expect(lossesOf(log.retire('a')).slice(0, -1)).toEqual(['a 1', '7: a']);
  });

  it('ends, for headers, at the next header and not at data', () => {
    const log = lose(begin(['a'], 7, 12), 'a').rows('a', [{ da: 5, kind: 'data', bytes: 200 }, { da: 12 }]);
    expect(lossesOf(look(log, 'a')).slice(0, -1)).toEqual(['a 1', '7: a']);
  });

  it('holds everything above until a success ends it, and then no more', () => {
    const log = look(lose(begin(['a'], 7, 12), 'a'), 'a');
    expect(lossesOf(log).slice(0, -1)).toEqual(['a 2', '7: a', '12: a']);
    expect(lossesOf(log.rows('a', [{ da: 9 }])).slice(0, -1)).toEqual(['a 1', '7: a', '12: none']);
  });

  it('does not hold what its list, out of reach since, may still show', () => {
    const log = look(lose(begin(['a'], 7), 'a'), 'a').list('a', 'UNREACHABLE');
    log.now += 700_000;
    log.blocks('a', 'one', [
      { height: 4, headerDa: 120 },
      { height: 5, headerDa: 130 },
    ]);
    expect(lossesOf(look(log, 'a')).slice(0, -1)).toEqual(['a 1', '7: a', '100: none', '120: none']);
  });
});

describe('a row belongs to the history', () => {
  const restarted = () => {
    const log = new SmallLog().register('a').describe('a', 'one').list('a', 'AVAILABLE');
    return log.blocks('a', 'one', headersAt(3, 7)).blocks('a', 'one', headersAt(20, 25), 2);
  };
  const placeOf = ({ events }: SmallLog) =>
    decide(events).rows.map(({ history, evidence }) => `${history} ${evidence}`);

  it('whose blobs it fits, even if its node shows a later history by then', () => {
    expect(placeOf(restarted().rows('a', [{ da: 7 }, { da: 20 }]))).toEqual([
      'one/1 CONFIRMED',
      'one/2 CONFIRMED',
    ]);
  });

  it('that its node had shown last otherwise, or else shows first, and to no history before that', () => {
    const log = new SmallLog()
      .register('a')
      .describe('a', 'one')
      .rows('a', [{ da: 90 }]);
    log
      .blocks('a', 'one', headersAt(3, 7))
      .blocks('a', 'one', headersAt(20, 25), 2)
      .rows('a', [{ da: 91 }]);
    log
      .register('b')
      .describe('b', 'one')
      .rows('b', [{ da: 92 }]);
    expect(placeOf(log)).toEqual(['one/1 UNCONFIRMED', 'one/2 UNCONFIRMED', 'null UNCONFIRMED']);
  });

  it('whose blobs no other row has', () => {
    const log = restarted().rows('a', [{ da: 7 }, { da: 7 }]);
    expect(placeOf(log)).toEqual(['one/1 CONFIRMED', 'one/2 UNCONFIRMED']);
  });

  it('that its own node has shown, even if it fits a history of another node better', () => {
    const log = new SmallLog();
    for (const id of ['good', 'impostor']) log.register(id).describe(id, 'one').list(id, 'AVAILABLE');
    const blocks = (dataBytes: number): SmallBlock[] => [
      { height: 1, headerDa: 7, dataDa: 7, dataBytes },
      { height: 2, headerDa: 9, dataDa: 9, dataBytes },
    ];
    log.blocks('good', 'one', blocks(367)).blocks('impostor', 'one', blocks(301), 2);
    const row = { da: 7, kind: 'data', bytes: 367 } as const;
    log.rows('good', [row, { da: 7 }]).rows('impostor', [row, { da: 7 }]);
    expect(placeOf(look(log, 'good', 'impostor'))).toEqual([
      'one/1 CONFIRMED',
      'one/1 CONFIRMED',
      'one/2 CONFIRMED',
      'one/2 CONFIRMED',
    ]);
    expect(decide(log.events).groups.filter(({ outcome }) => outcome !== 'NOT_YET')).toEqual([]);
  });

  it('that its node had shown last if another history has only a part of its blobs, and is not reported as unreferenced', () => {
    const log = restarted().rows('a', [{ da: 7, blobs: 3, bytes: 993 }, { da: 8 }]);
    expect(placeOf(look(log, 'a'))).toEqual(['one/2 OBSERVED', 'one/2 UNREFERENCED']);
  });
});

describe('the chain of a row', () => {
  const chainsOf = ({ events }: SmallLog) => decide(events).rows.map(({ chain }) => chain);

  it('is the chain that its node names first, if the node had named no chain by then', () => {
    expect(chainsOf(new SmallLog().register('a').rows('a', [{ da: 3 }]))).toEqual([null]);
    expect(
      chainsOf(
        new SmallLog()
          .register('a')
          .rows('a', [{ da: 3 }])
          .describe('a', 'one'),
      ),
    ).toEqual(['one']);
  });

  it('is the chain of the settings until the node names another one', () => {
    const log = new SmallLog().register('a', 'set').rows('a', [{ da: 3 }]);
    expect(chainsOf(log)).toEqual(['set']);
    expect(chainsOf(log.blocks('a', 'shown', headersAt(3)).rows('a', [{ da: 4 }]))).toEqual([
      'shown',
      'shown',
    ]);
  });

  it('stays in a list that continues, whatever the node or its settings name later', () => {
    const log = new SmallLog()
      .register('a')
      .describe('a', 'one')
      .rows('a', [{ da: 3 }]);
    log
      .describe('a', 'two')
      .rows('a', [{ da: 4 }])
      .register('a', 'three')
      .rows('a', [{ da: 5 }]);
    expect(chainsOf(log.describe('a', 'four'))).toEqual(['one', 'one', 'one']);
  });
});

describe('the kind of a row', () => {
  it('is reported late, and then counts for what was recorded before', () => {
    const log = new SmallLog()
      .register('a', 'one')
      .list('a', 'AVAILABLE')
      .rows('a', [{ da: 3 }, { da: 5 }, { da: 9 }]);
    look(log.blocks('a', 'one', headersAt(3, 9, 12)), 'a');
    const rows = () => decide(log.events).rows.map(({ kind, evidence }) => `${kind} ${evidence}`);
    expect(rows()).toEqual(['UNKNOWN CONFIRMED', 'UNKNOWN OBSERVED', 'UNKNOWN CONFIRMED']);
    log.describe('a', 'one');
    expect(rows()[1]).toBe('HEADER UNREFERENCED');
  });
});

it('blocks of a chain that no node claims prove what was posted, whatever lists of others show', () => {
  const log = new SmallLog().register('a').describe('a', 'one').list('a', 'AVAILABLE');
  log.blocks('a', 'one', headersAt(3, 7)).describe('a', 'two');
  log.rows('a', [{ da: 2 }, { status: 'Context Deadline' }]);
  look(log.blocks('a', 'one', [{ height: 3, headerDa: 9 }]).describe('a', 'two'), 'a');
  const { rows, groups } = decide(log.events);
  expect(rows.map(({ evidence }) => evidence)).toEqual(['UNCONFIRMED', 'OBSERVED']);
  expect(groups.map(({ daHeight, outcome }) => `${daHeight} ${outcome}`).slice(0, 2)).toEqual([
    '3 RECONSTRUCTED',
    '7 RECONSTRUCTED',
  ]);
});
