import { applyVerdict, initialRing, restoreRing, saveRing, type KnownRing } from './known-ring.js';
import { reconcile } from './reconcile-window.js';
import type { Verdict } from './window-verdict.js';

/** A row of a second, with a fine time; `more` for other fields. */
function row(second: number, more: object = {}): string {
  const at = new Date(1_795_000_000_000 + second * 1_000).toISOString().slice(0, 19);
  return JSON.stringify({
    id: `submission_${second}_${1_795_000_000 + second}`,
    height: second,
    timestamp: `${at}.123456789Z`,
    ...more,
  });
}

/** A row as the real node writes it when it gives up before the flight: no time but the second inside the id. */
function timeless(second: number): string {
  return JSON.stringify({ id: `submission_0_${1_795_000_000 + second}`, timestamp: '0001-01-01T00:00:00Z' });
}

/** A row that cannot be distinguished from the next one. */
const same = '{"timestamp":"0001-01-01T00:00:00Z","status_code":"Error"}';

function rows(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => row(from + index));
}

/** The state of a list that was polled with each of the windows, oldest first, sent newest first. */
function polled(...windows: string[][]): KnownRing {
  return windows.reduce((known, window) => applyVerdict(known, poll(known, window)), initialRing());
}

function poll(known: KnownRing, oldestFirst: string[], complete = true): Verdict {
  return reconcile(known, { rows: oldestFirst.toReversed(), complete });
}

const hole = { minLost: 0, maxLost: null };

describe('reconciliation of a window with known rows', () => {
  it('first contact: everything is fresh, and earlier rows are a loss', () => {
    expect(poll(initialRing(), rows(1, 3))).toMatchObject({
      kind: 'FIRST_CONTACT',
      fresh: rows(1, 3),
      loss: { kind: 'BEFORE_START', after: 0, ...hole },
    });
    expect(poll(initialRing(), [])).toMatchObject({ kind: 'FIRST_CONTACT', fresh: [] });
    expect(poll(initialRing(), [], false)).toEqual({ kind: 'CUT', rows: 0 });
  });

  it('an anchor in both: rows after the known rows are fresh', () => {
    const known = polled(rows(1, 100));
    expect(poll(known, rows(41, 140))).toMatchObject({
      kind: 'OBSERVED',
      fresh: rows(101, 140),
      overlap: 60,
      anchored: true,
      loss: null,
      ringSize: 100,
    });
    expect(poll(known, rows(99, 198))).toMatchObject({ kind: 'OBSERVED', overlap: 2, anchored: true });
    expect(poll(known, rows(1, 100))).toMatchObject({
      kind: 'UNCHANGED',
      fresh: [],
      anchored: true,
      loss: null,
    });
  });

  it('one shared row proves nothing once rows have left the ring: an equal row may have been next to it', () => {
    const known = polled(rows(1, 100));
    // The ring took a second row 100, then 99 more: the answer shows the row 100 that was not recorded.
    expect(poll(known, rows(100, 199))).toMatchObject({
      kind: 'AMBIGUOUS',
      fresh: rows(101, 199),
      overlap: 1,
      anchored: false,
      loss: { kind: 'AMBIGUOUS', after: 100, ...hole },
    });
    expect(poll(known, rows(100, 199), false)).toEqual({ kind: 'CUT', rows: 100 });
    // Nothing has left a ring that still shows all its rows.
    expect(poll(polled([row(1)]), rows(1, 60))).toMatchObject({
      kind: 'OBSERVED',
      anchored: true,
      loss: null,
    });
  });

  it('rows after a stale answer that was treated as a new list may be recorded already', () => {
    const seconds = (from: number, to: number): string[] =>
      Array.from({ length: to - from + 1 }, (_, index) => timeless(from + index));
    const ring = (from: number): string[] => seconds(from, from + 99);
    // Seconds inside of ids do not reveal a stale answer once its list is no longer kept.
    const known = polled(ring(1), ring(11), ring(201), ring(401), ring(601), ring(801), ring(1));
    expect(known.windows[0]?.rows).toEqual(ring(1));
    expect(poll(known, ring(11))).toMatchObject({
      kind: 'AMBIGUOUS',
      fresh: seconds(101, 110),
      anchored: false,
      loss: { kind: 'AMBIGUOUS', ...hole },
    });
  });

  it('anchors that contradict each other are invalid', () => {
    const known = polled(rows(1, 10));
    expect(poll(known, [...rows(1, 4), row(6), row(5), ...rows(7, 10)])).toMatchObject({ kind: 'INVALID' });
    expect(poll(known, [...rows(1, 4), row(77), ...rows(5, 11)])).toMatchObject({ kind: 'INVALID' });
    expect(poll(known, [...rows(1, 2), ...rows(4, 11), row(3)])).toMatchObject({ kind: 'INVALID' });
  });

  it('recovers from contradictions once the list has moved on', () => {
    const known = polled(rows(1, 100), [...rows(2, 50), row(999), ...rows(51, 100)]);
    expect(poll(known, rows(101, 200))).toMatchObject({ kind: 'LOST', fresh: rows(101, 200) });
  });

  it('an answer that ends before the known rows do is stale', () => {
    expect(poll(polled(rows(1, 100), rows(31, 130)), rows(11, 110))).toEqual({
      kind: 'STALE',
      source: 0,
      behind: 20,
    });
  });

  it('an answer older than the whole window is recognised by the last thousand rows', () => {
    const known = polled(...[1, 51, 101, 151, 201, 251].map((first) => rows(first, first + 99)));
    expect(poll(known, rows(11, 110))).toEqual({ kind: 'STALE', source: null, behind: null });
  });

  it('two nodes behind one address: a loss at the first switch, then none, and nothing duplicated', () => {
    const [nodeA, nodeB] = [(to: number) => rows(to - 99, to), (to: number) => rows(to + 5_001, to + 5_100)];
    const first = polled(nodeA(100));
    const toB = poll(first, nodeB(100));
    expect(toB).toMatchObject({
      kind: 'LOST',
      fresh: nodeB(100),
      source: 1,
      loss: { kind: 'OVERFLOW', after: 100 },
    });
    const known = applyVerdict(first, toB);
    const toA = poll(known, nodeA(120));
    expect(toA).toMatchObject({
      kind: 'SWITCHED',
      from: 1,
      source: 0,
      fresh: rows(101, 120),
      anchored: true,
      loss: null,
    });
    expect(poll(applyVerdict(known, toA), nodeB(130))).toMatchObject({
      kind: 'SWITCHED',
      from: 0,
      source: 1,
      fresh: nodeB(130).slice(70),
    });
  });

  it('a fifth list replaces the one not met for longest, whose rows are still not duplicated', () => {
    const far = [0, 1, 2, 3, 4].map((list) => rows(list * 1_000, list * 1_000 + 99));
    const back = poll(polled(...far), rows(50, 149));
    expect(back).toMatchObject({
      kind: 'SWITCHED',
      source: 5,
      fresh: rows(100, 149),
      loss: { kind: 'AMBIGUOUS' },
    });
  });

  it('equal rows without an anchor: the longest overlap, and a loss without an upper bound', () => {
    const known = polled([...rows(1, 98), same, same]);
    expect(poll(known, [same, same, ...rows(200, 297)])).toMatchObject({
      kind: 'AMBIGUOUS',
      overlap: 2,
      anchored: false,
      fresh: rows(200, 297),
      loss: { kind: 'AMBIGUOUS', after: 100, ...hole },
    });
  });

  it('a list of nothing but equal rows is reported as ambiguous once for each row count', () => {
    const full = Array<string>(100).fill(same);
    const known = polled(full);
    expect(known.isBlind).toBe(true);
    const again = poll(known, full);
    expect(again).toMatchObject({ kind: 'AMBIGUOUS', fresh: [], loss: { after: 100 } });
    expect(poll(applyVerdict(known, again), full)).toMatchObject({
      kind: 'UNCHANGED',
      anchored: false,
      loss: null,
    });
    const growing = polled([same, same]);
    expect(poll(growing, [same, same, same])).toMatchObject({ kind: 'AMBIGUOUS', fresh: [same], overlap: 2 });
  });

  it('equal rows of one second prove nothing, the step to the next second does', () => {
    const second = (at: number, count: number) => Array<string>(count).fill(timeless(at));
    const known = polled([...second(1, 4), ...second(2, 3)]);
    expect(known.isBlind).toBe(false);
    expect(poll(known, [...second(1, 4), ...second(2, 5)])).toMatchObject({
      kind: 'OBSERVED',
      fresh: second(2, 2),
      anchored: true,
    });
    expect(poll(polled([...second(1, 70), ...second(2, 30)]), second(2, 100))).toMatchObject({
      kind: 'AMBIGUOUS',
      overlap: 30,
    });
  });

  it('no overlap and fewer rows than the ring holds: it was emptied', () => {
    const verdict = poll(polled(rows(1, 100)), rows(200, 204));
    expect(verdict).toMatchObject({
      kind: 'RESET',
      known: 100,
      ring: 1,
      source: 1,
      fresh: rows(200, 204),
      loss: { kind: 'RESET', after: 100, ...hole },
    });
    expect(poll(polled(rows(1, 5)), [])).toMatchObject({ kind: 'RESET', fresh: [], ring: 1 });
  });

  it('rows in a list whose process has lived since the list was empty follow without a gap, unless the list may be full', () => {
    const known = polled(rows(1, 5), []);
    const pollDirect = (sent: string[], before = known) =>
      reconcile(before, { rows: sent.toReversed(), complete: true, isSameProcess: true });
    expect(pollDirect([])).toMatchObject({ kind: 'UNCHANGED', loss: null });
    expect(pollDirect(rows(10, 12))).toMatchObject({
      kind: 'OBSERVED',
      fresh: rows(10, 12),
      anchored: true,
      ring: 1,
      source: 1,
      loss: null,
    });
    // The capacity of a list that was never longer is unknown: more rows may have come than it kept.
    expect(pollDirect(rows(10, 49))).toMatchObject({
      kind: 'AMBIGUOUS',
      loss: { kind: 'AMBIGUOUS', ...hole },
    });
    const longer = polled(rows(1, 50), []);
    expect(pollDirect(rows(60, 89), longer)).toMatchObject({ kind: 'OBSERVED', loss: null });
    expect(pollDirect(rows(60, 109), longer)).toMatchObject({ kind: 'AMBIGUOUS', fresh: rows(60, 109) });
    expect(pollDirect(rows(2, 6))).toMatchObject({ kind: 'SWITCHED', source: 0, fresh: [row(6)] });
  });

  it('an empty list proves nothing about later rows if its process may be another one', () => {
    const known = polled(rows(1, 5), []);
    expect(poll(known, [])).toMatchObject({ kind: 'UNCHANGED', source: 1, loss: null });
    for (const sent of [rows(10, 12), rows(10, 109)]) {
      expect(poll(known, sent)).toMatchObject({
        kind: 'RESET',
        fresh: sent,
        anchored: false,
        ring: 2,
        source: 2,
        loss: { kind: 'RESET', after: 5, ...hole },
      });
    }
    expect(poll(known, rows(2, 6))).toMatchObject({
      kind: 'SWITCHED',
      source: 0,
      fresh: [row(6)],
      loss: null,
    });
  });

  it('a list that is empty again and again behind an address of several is one list', () => {
    const known = polled(rows(1, 5), [], rows(2, 6));
    expect(poll(known, [])).toMatchObject({ kind: 'SWITCHED', from: 0, source: 1, fresh: [], loss: null });
    const restarted = polled(rows(1, 5), [], rows(10, 12));
    expect(poll(restarted, [])).toMatchObject({ kind: 'RESET', source: 3 });
  });

  it('no overlap in a full ring: rows were lost, also where a restart came in between', () => {
    expect(poll(polled(rows(1, 100)), rows(102, 201))).toMatchObject({
      kind: 'LOST',
      fresh: rows(102, 201),
      source: 1,
      ring: 0,
      loss: { kind: 'OVERFLOW', after: 100, ...hole },
    });
  });

  it('a part of an answer counts if it reaches an anchor, and otherwise proves nothing', () => {
    const known = polled(rows(1, 100));
    expect(poll(known, rows(99, 105), false)).toMatchObject({
      kind: 'OBSERVED',
      fresh: rows(101, 105),
      length: 105,
    });
    expect(poll(known, rows(103, 105), false)).toEqual({ kind: 'CUT', rows: 3 });
    expect(poll(known, [], false)).toEqual({ kind: 'CUT', rows: 0 });
    expect(poll(polled([same]), [same, same], false)).toEqual({ kind: 'CUT', rows: 2 });
    expect(poll(polled(rows(1, 5), []), rows(7, 8), false)).toEqual({ kind: 'CUT', rows: 2 });
  });

  it('learns the size of the ring when rows fall out of it', () => {
    const small = polled(rows(1, 50), rows(11, 60));
    expect(small.ringSize).toBe(50);
    expect(poll(small, rows(70, 119))).toMatchObject({ kind: 'LOST' });
    expect(poll(small, rows(70, 118))).toMatchObject({ kind: 'RESET' });
    const large = polled(rows(1, 5_000), rows(301, 5_300));
    expect(large).toMatchObject({ ringSize: 5_000, sequence: 5_300 });
    expect(large.windows[0]?.rows).toHaveLength(1_000);
    expect(poll(large, rows(401, 5_400))).toMatchObject({
      kind: 'OBSERVED',
      fresh: rows(5_301, 5_400),
      overlap: 4_900,
    });
    expect(poll(large, rows(6_000, 6_200))).toMatchObject({ kind: 'RESET' });
  });

  it('reads rows in the direction in which their times rise, and remembers the direction', () => {
    const first = reconcile(initialRing(), { rows: rows(1, 5), complete: true });
    expect(first).toMatchObject({ newestFirst: false, fresh: rows(1, 5) });
    const known = applyVerdict(initialRing(), first);
    expect(known.newestFirst).toBe(false);
    expect(reconcile(known, { rows: rows(3, 7), complete: true })).toMatchObject({
      kind: 'OBSERVED',
      fresh: rows(6, 7),
    });
    expect(reconcile(known, { rows: rows(3, 7).toReversed(), complete: true })).toMatchObject({
      newestFirst: true,
      fresh: rows(6, 7),
    });
  });

  it('reverses a list that was begun the wrong way without a hint on its direction, and duplicates no row', () => {
    const cells = ['a', 'b', 'c', 'd'].map((name) =>
      JSON.stringify({ id: name, timestamp: '2026-11-18T11:06:30Z' }),
    );
    const known = applyVerdict(
      initialRing(),
      reconcile(initialRing(), { rows: cells.slice(0, 2), complete: true }),
    );
    expect(known.newestFirst).toBeUndefined();
    const later = [...cells.slice(0, 2), row(1), row(2)];
    const verdict = reconcile(known, { rows: later, complete: true });
    expect('fresh' in verdict ? verdict.loss : undefined).toMatchObject({ kind: 'AMBIGUOUS' });
    const timed = [row(1), row(1, { more: 1 }), row(5), row(6)];
    const begun = applyVerdict(
      initialRing(),
      reconcile(initialRing(), { rows: timed.slice(0, 2), complete: true }),
    );
    expect(reconcile(begun, { rows: timed, complete: true })).toMatchObject({
      kind: 'OBSERVED',
      fresh: timed.slice(2),
      loss: null,
    });
  });

  it('recognises rows that are written in another way', () => {
    const known = polled(rows(1, 100));
    const rewritten = rows(31, 130).map((text) =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse()), null, 1),
    );
    expect(poll(known, rewritten)).toMatchObject({
      kind: 'OBSERVED',
      fresh: rewritten.slice(70),
      anchored: true,
      altered: [],
    });
  });

  it('reports a row that the node now shows differently, and continues', () => {
    const known = polled(rows(1, 10));
    const verdict = poll(known, [...rows(1, 6), row(7, { status_code: 'Success' }), ...rows(8, 12)]);
    expect(verdict).toMatchObject({
      kind: 'OBSERVED',
      fresh: rows(11, 12),
      altered: [{ index: 6, known: row(7) }],
    });
    expect(
      poll(applyVerdict(known, verdict), [...rows(1, 6), row(7, { status_code: 'Success' }), ...rows(8, 12)]),
    ).toMatchObject({ kind: 'UNCHANGED', altered: [] });
  });

  it('is not misled by a row dated 2099, a clock years off, times out of order or invalid rows', () => {
    const odd = [
      row(1),
      '{"broken":NaN}',
      row(70 * 31_557_600),
      row(-3 * 31_557_600),
      row(5),
      row(4),
      'nul',
      row(6),
      row(7),
    ];
    const known = polled(odd.slice(0, 6));
    expect(poll(known, odd)).toMatchObject({ kind: 'OBSERVED', fresh: odd.slice(6), anchored: true });
  });

  it('uses rows as anchors only if they occur once', () => {
    const twin = row(3);
    const known = polled([row(1), row(2), twin, twin]);
    expect(poll(known, [row(1), row(2), twin, twin, twin, row(4)])).toMatchObject({
      kind: 'OBSERVED',
      fresh: [twin, row(4)],
    });
  });

  it('continues from the recorded rows and the saved scalars alone', () => {
    const windows = [rows(1, 100), rows(51, 150), rows(5_001, 5_100), rows(61, 160)];
    const known = polled(...windows);
    const texts = [...rows(1, 150), ...rows(5_001, 5_100), ...rows(151, 160)];
    const recentRows = texts.map((text, index) => ({ text, source: index >= 150 && index < 250 ? 1 : 0 }));
    const restored = restoreRing({ recentRows, scalars: JSON.parse(JSON.stringify(saveRing(known))) });
    expect(restored).toEqual(known);
    expect(JSON.parse(JSON.stringify(restored))).toEqual(JSON.parse(JSON.stringify(known)));
  });
});
