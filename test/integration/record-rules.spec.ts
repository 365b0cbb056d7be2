import { useOracleAndTables } from '../support/decided/decide-both.js';
import type { Decided } from '../support/decided/decide-log.js';
import { SmallLog, type SmallBlock, type SmallRow } from '../support/small-log.js';

const decide = useOracleAndTables();

/** Rows as `DA evidence`, groups as `kind DA outcome` with the number of possible attempts, and minima. */
function told({ rows, groups, losses }: Decided) {
  return {
    rows: rows.map(({ daHeight, evidence }) => `${daHeight} ${evidence}`),
    groups: groups.map(({ kind, daHeight, outcome, attempts }) =>
      [kind, daHeight, outcome, ...(attempts > 0 ? [attempts] : [])].join(' '),
    ),
    minima: losses.map(({ min }) => Number(min)),
  };
}

const outcomeOf = ({ events }: SmallLog) => told(decide(events));
const groupsOf = (log: SmallLog) => outcomeOf(log).groups;
const rowsOf = (log: SmallLog) => outcomeOf(log).rows;

/** Blocks of rising heights whose headers lie at these DA heights. */
const headersAt = (...daHeights: number[]): SmallBlock[] =>
  daHeights.map((headerDa, index) => ({ height: index + 1, headerDa }));

const FAILED: SmallRow = { status: 'Context Deadline' };

/** A node of a chain, with rows in its list. */
function begin(...rows: SmallRow[]): SmallLog {
  return new SmallLog().register('a').describe('a', 'one').list('a', 'AVAILABLE').rows('a', rows);
}

function later(log: SmallLog, milliseconds = 1_000): SmallLog {
  log.now += milliseconds;
  return log;
}

/** The list is polled, and shows nothing new. */
const look = (log: SmallLog, ...nodes: string[]) => {
  for (const node of nodes.length > 0 ? nodes : ['a']) later(log).watch(node);
  return log;
};

/** The headers that the blocks of `a` point to, and a poll of its list after that. */
const decidedAt = (log: SmallLog, ...daHeights: number[]) =>
  look(later(log).blocks('a', 'one', headersAt(...daHeights)));

describe('a success', () => {
  it('is confirmed as soon as its blobs are shown, whatever else is unknown yet', () => {
    const log = begin({ da: 3 }, { da: 5 }).blocks('a', 'one', headersAt(3));
    expect(rowsOf(log)).toEqual(['3 CONFIRMED', '5 UNCONFIRMED']);
  });

  it('is unreferenced only once blocks have passed it and its list was polled since', () => {
    const log = later(begin({ da: 3 }, { da: 5 }, { da: 9 }))
      .blocks('a', 'one', headersAt(3, 9))
      .rows('a', [{ da: 10 }]);
    expect(rowsOf(log)[1]).toBe('5 UNCONFIRMED');
    expect(rowsOf(look(log))[1]).toBe('5 UNREFERENCED');
  });

  it('stays open behind unreadable blocks, until another node has these blocks', () => {
    const log = begin({ da: 3 }, { da: 5 }, { da: 12 });
    log.blocks('a', 'one', [
      { height: 1, headerDa: 3 },
      { height: 3, headerDa: 9 },
      { height: 4, headerDa: 12 },
      { height: 5, headerDa: 14 },
    ]);
    look(log.unreadable('a', 'one', 2));
    expect(outcomeOf(log)).toMatchObject({ rows: ['3 CONFIRMED', '5 OBSERVED', '12 CONFIRMED'] });
    expect(groupsOf(log)).toEqual(['HEADER 9 NOT_YET', 'HEADER 14 NOT_YET']);
    log.register('b').describe('b', 'one').list('b', 'NOT_AGGREGATOR');
    look(log.blocks('b', 'one', headersAt(3, 7, 9, 12, 14)));
    expect(rowsOf(log)[1]).toBe('5 UNREFERENCED');
    expect(groupsOf(log).slice(0, 2)).toEqual(['HEADER 7 RECONSTRUCTED', 'HEADER 9 RECONSTRUCTED']);
  });
});

describe('a group that no row explains', () => {
  it('is reconstructed once blocks have passed it and every list was polled since, and not before', () => {
    const log = later(begin({ da: 3 }, { da: 9 })).blocks('a', 'one', headersAt(3, 7, 9));
    expect(groupsOf(log)).toEqual(['HEADER 7 NOT_YET']);
    expect(groupsOf(look(log))).toEqual(['HEADER 7 RECONSTRUCTED']);
  });

  it('stays reconstructed when a node joins whose list was never seen', () => {
    const log = decidedAt(begin({ da: 3 }, { da: 9 }), 3, 7, 9).register('b', 'one');
    expect(groupsOf(log)).toEqual(['HEADER 7 RECONSTRUCTED']);
  });

  it('is withdrawn when a list shows its row later', () => {
    const log = decidedAt(begin({ da: 3 }, { da: 9 }), 3, 7, 9);
    log
      .register('b')
      .describe('b', 'one')
      .rows('b', [{ da: 7 }]);
    expect(outcomeOf(log)).toMatchObject({
      groups: [],
      rows: ['3 CONFIRMED', '9 CONFIRMED', '7 CONFIRMED'],
    });
  });

  it('waits ten minutes for a list that is out of reach, and no longer', () => {
    const log = begin({ da: 3 }, { da: 9 });
    later(log)
      .list('a', 'UNREACHABLE')
      .blocks('a', 'one', headersAt(3, 7, 9));
    expect(groupsOf(look(later(log, 590_000)))).toEqual(['HEADER 7 NOT_YET']);
    expect(groupsOf(look(later(log, 20_000)))).toEqual(['HEADER 7 RECONSTRUCTED']);
  });

  it('does not wait for the list of a node that is retired, or that has none', () => {
    const log = later(begin({ da: 3 }, { da: 9 })).blocks('a', 'one', headersAt(3, 7, 9));
    log.register('b', 'one').register('c', 'one').list('c', 'NOT_AGGREGATOR');
    expect(groupsOf(look(log))).toEqual(['HEADER 7 NOT_YET']);
    expect(decide(log.events).chains).toEqual([{ chain: 'one', isDecided: false }]);
    expect(groupsOf(log.retire('b'))).toEqual(['HEADER 7 RECONSTRUCTED']);
    expect(decide(log.events).chains).toEqual([{ chain: 'one', isDecided: true }]);
  });

  it('is not reconstructed next to a success at its DA height that has too few fields', () => {
    const log = decidedAt(
      begin({ da: 3 }, { da: 7, kind: 'none', blobs: 2, bytes: 662 }, { da: 9 }),
      3,
      7,
      9,
    );
    expect(groupsOf(log)).toEqual([]);
  });

  it('is at the DA height where its block was first shown', () => {
    const log = later(begin({ da: 3 }, { da: 12 })).blocks('a', 'one', headersAt(3, 7, 12));
    expect(groupsOf(look(log.blocks('a', 'one', headersAt(3, 8, 12))))).toEqual(['HEADER 7 RECONSTRUCTED']);
  });

  it('is decided on a chain that never has data, too, and is not where data may still point', () => {
    const log = later(begin({ da: 3 })).blocks('a', 'one', [
      { height: 1, headerDa: 5, dataDa: 4, dataBytes: 200 },
      { height: 2, headerDa: 7 },
    ]);
    expect(groupsOf(look(log))).toEqual(['DATA 4 NOT_YET', 'HEADER 5 RECONSTRUCTED', 'HEADER 7 NOT_YET']);
  });
});

describe('a failure of unknown outcome', () => {
  it('landed if it can be a group that nothing else explains', () => {
    const log = decidedAt(begin({ da: 3 }, FAILED, { da: 9 }), 3, 7, 9);
    expect(outcomeOf(log)).toMatchObject({ rows: ['3 CONFIRMED', '7 CONFIRMED', '9 CONFIRMED'], groups: [] });
    expect(decide(log.events).rows[1]).toMatchObject({ kind: 'HEADER', history: 'one/1', carried: [2n] });
  });

  it('is the last of equal ones, but not one that was in the mempool already', () => {
    const rows = [{ da: 3 }, FAILED, FAILED, { status: 'Already In Mempool' }, { da: 9 }];
    const seen = ['3 CONFIRMED', 'null OBSERVED', '7 CONFIRMED', 'null OBSERVED', '9 CONFIRMED'];
    expect(rowsOf(decidedAt(begin(...rows), 3, 7, 9))).toEqual(seen);
    const only = [{ da: 3 }, { status: 'Already In Mempool' }, { da: 9 }];
    expect(rowsOf(decidedAt(begin(...only), 3, 7, 9))[1]).toBe('7 CONFIRMED');
  });

  it('lands once: further equal blobs are another submission', () => {
    const log = decidedAt(begin({ da: 3 }, FAILED, { da: 9 }), 3, 7, 8, 9);
    expect(outcomeOf(log)).toMatchObject({ groups: ['HEADER 8 RECONSTRUCTED'] });
  });

  it('does not land on a DA height with another number, other bytes or another kind', () => {
    for (const other of [{ blobs: 2, bytes: 662 }, { bytes: 330 }, { kind: 'data' as const }]) {
      const log = decidedAt(begin({ da: 3 }, { ...FAILED, ...other }, { da: 9 }), 3, 7, 9);
      expect(groupsOf(log)).toEqual(['HEADER 7 RECONSTRUCTED']);
    }
  });

  it('lands between the successes around it in its list, and nowhere else', () => {
    const log = decidedAt(begin({ da: 3 }, FAILED, { da: 9 }, { da: 15 }), 3, 9, 12, 15);
    expect(groupsOf(log)).toEqual(['HEADER 12 RECONSTRUCTED']);
    expect(groupsOf(decidedAt(begin({ da: 3 }, FAILED, { da: 7 }), 3, 7, 7, 9))).toEqual([
      'HEADER 9 NOT_YET',
    ]);
  });

  it('never lands if its outcome is known', () => {
    const log = decidedAt(begin({ da: 3 }, { status: 'Too Big' }, { da: 9 }), 3, 7, 9);
    expect(groupsOf(log)).toEqual(['HEADER 7 RECONSTRUCTED']);
  });

  it('was another attempt if it was made more than ten minutes after blocks showed the blobs', () => {
    const tell = (minutes: number) => {
      const log = decidedAt(begin({ da: 3 }), 3, 7, 9);
      later(log, minutes * 60_000).rows('a', [FAILED, { da: 9 }]);
      return outcomeOf(log).rows[1];
    };
    expect([tell(9), tell(11)]).toEqual(['7 CONFIRMED', 'null OBSERVED']);
  });

  it('next to a gap only may have landed: the group counts once, and raises no minimum', () => {
    const log = begin({ da: 3 }, FAILED)
      .lose('a', 'SubmissionWindowLost')
      .rows('a', [{ da: 9 }]);
    const decided = decide(decidedAt(log, 3, 7, 8, 9).events);
    expect(told(decided)).toEqual({
      rows: ['3 CONFIRMED', 'null OBSERVED', '9 CONFIRMED'],
      groups: ['HEADER 7 UNDECIDED 1', 'HEADER 8 UNDECIDED 1'],
      minima: [0],
    });
    expect(decided.groups.map(({ isCounted }) => isCounted)).toEqual([true, true]);
  });

  it('at the end of its list may be any group with its number and bytes, or any group if it has neither', () => {
    const blocks = [
      ...headersAt(3, 7),
      { height: 3, headerDa: 8 },
      { height: 4, headerDa: 8 },
      { height: 5, headerDa: 9 },
    ];
    const tell = (row: SmallRow | string) =>
      groupsOf(look(later(begin({ da: 3 }).rows('a', [row])).blocks('a', 'one', blocks)));
    const [open] = ['HEADER 9 NOT_YET'];
    expect(tell(FAILED)).toEqual(['HEADER 7 UNDECIDED 1', 'HEADER 8 RECONSTRUCTED', open]);
    const silent = JSON.stringify({ status_code: 'Context Deadline', timestamp: '2026-11-21T00:00:00Z' });
    expect(tell(silent)).toEqual(['HEADER 7 UNDECIDED 1', 'HEADER 8 UNDECIDED 1', open]);
  });

  it('lies between successes of its own kind, as headers and data are in sequences of their own', () => {
    const rows: SmallRow[] = [{ da: 3 }, { da: 8, kind: 'data', bytes: 200 }, FAILED, { da: 9 }];
    expect(rowsOf(decidedAt(begin(...rows), 3, 7, 9))[2]).toBe('7 CONFIRMED');
  });

  it('is one of several different ones, and it is unknown which', () => {
    const rows: SmallRow[] = [{ da: 3 }, FAILED, { ...FAILED, kind: 'none' }, { da: 9 }];
    expect(groupsOf(decidedAt(begin(...rows), 3, 7, 9))).toEqual(['HEADER 7 UNDECIDED 2']);
  });

  it('is not distinguished from more than a hundred others', () => {
    const tell = (count: number) =>
      groupsOf(
        decidedAt(begin({ da: 3 }, ...Array.from({ length: count }, () => FAILED), { da: 9 }), 3, 7, 9),
      );
    expect([tell(100), tell(101), tell(150)]).toEqual([
      [],
      ['HEADER 7 UNDECIDED 101'],
      ['HEADER 7 UNDECIDED 101'],
    ]);
  });

  it('withdraws what was reconstructed before it came, and lands', () => {
    const log = later(decidedAt(begin({ da: 3 }), 3, 7, 9)).rows('a', [{ ...FAILED, at: 500 }, { da: 9 }]);
    expect(outcomeOf(look(log))).toMatchObject({ rows: ['3 CONFIRMED', '7 CONFIRMED', '9 CONFIRMED'] });
  });

  it('is one attempt on both nodes that show it, and lands for both', () => {
    const log = begin();
    const rows = [log.rowText({ da: 3 }), log.rowText(FAILED), log.rowText({ da: 9 })];
    log.rows('a', rows).register('b').describe('b', 'one').rows('b', rows);
    expect(rowsOf(look(decidedAt(log, 3, 7, 8, 9), 'b'))).toEqual([
      '3 CONFIRMED',
      '7 CONFIRMED',
      '9 CONFIRMED',
      '3 CONFIRMED',
      '7 CONFIRMED',
      '9 CONFIRMED',
    ]);
    expect(groupsOf(log)).toEqual(['HEADER 8 RECONSTRUCTED']);
  });
});

describe('a success without a DA height', () => {
  it('is never reconstructed next to its row, and its possible blobs cost nothing more', () => {
    const { groups, rows } = decide(decidedAt(begin({ da: 3 }, {}, { da: 9 }), 3, 7, 9).events);
    expect(rows[1]).toMatchObject({ daHeight: null, evidence: 'OBSERVED' });
    expect(groups).toMatchObject([{ outcome: 'UNDECIDED', attempts: 1, isCounted: false }]);
  });

  it('withdraws what was reconstructed before it came, unless it is of another kind or behind its DA height', () => {
    const tell = (...rows: SmallRow[]) =>
      groupsOf(look(later(decidedAt(begin({ da: 3 }), 3, 7, 9)).rows('a', rows))).slice(0, 1);
    expect(tell({ at: 500 })).toEqual(['HEADER 7 UNDECIDED 1']);
    for (const rows of [[{ kind: 'data' as const }], [{ da: 8 }, {}], [{ blobs: 0, bytes: 0 }]])
      expect(tell(...rows)).toEqual(['HEADER 7 RECONSTRUCTED']);
  });

  it('may be one of two batches at one DA height', () => {
    const log = later(begin({ da: 3 }, {}, { blobs: 2, bytes: 662 }, { da: 9 }));
    log.blocks('a', 'one', [...headersAt(3, 7, 7, 7), { height: 5, headerDa: 9 }]);
    expect(groupsOf(look(log))).toEqual(['HEADER 7 UNDECIDED 2']);
  });
});
