import { formatTime, microsToNanos } from '../../src/domain/time.js';
import { appendLog } from '../support/append-log.js';
import { insertRows } from '../support/read-model-rows.js';
import { SmallLog } from '../support/small-log.js';
import { useApi } from '../support/use-database.js';

const SECOND = 1_000;
const FIGURES =
  'waited unknown limitMs delayed transactionsDelayed p95Ms maxMs stillWaiting longestStillWaitingMs';
const isoOf = (second: number): string => new Date(SmallLog.START + second * SECOND).toISOString();

type Waits = Readonly<Record<string, string | number | null>> | null;

describe('the wait of blocks until a node was seen to show them as included', () => {
  const api = useApi();
  const log = new SmallLog();
  const waitsOf = async (owner: string, from: number, to: number, travel = ''): Promise<Waits> =>
    (
      await api.read<{ intervalReport: { waits: Waits } }>(
        `{ intervalReport(${owner}, from: "${isoOf(from)}", to: "${isoOf(to)}"${travel}) { waits { ${FIGURES} } } }`,
      )
    ).intervalReport.waits;
  const at = (second: number): SmallLog => {
    log.now = second * SECOND;
    return log;
  };

  beforeAll(async () => {
    for (const node of ['alpha', 'beta']) at(0).register(node, 'lab-1').describe(node, 'lab-1');
    // The block of 1 s had been included before the first poll, more than a minute ago.
    at(70).blocks('alpha', 'lab-1', [
      { height: 1, headerDa: 3, at: 1 * SECOND },
      { height: 2, at: 10 * SECOND },
    ]);
    at(71).blocks('alpha', 'lab-1', [{ height: 3, headerDa: 5, at: 67 * SECOND }]);
    // The node shows the block as included for its header first, and later for its data.
    at(100).blocks('alpha', 'lab-1', [{ height: 4, headerDa: 7, dataBytes: 40, at: 90 * SECOND }]);
    at(150).include('alpha', 'lab-1', [{ height: 4, headerDa: 7, dataDa: 8 }]);
    at(160).blocks('alpha', 'lab-1', [{ height: 5, dataBytes: 40, at: 140 * SECOND }]);
    // The other node shows it earlier.
    at(155).blocks('beta', 'lab-1', [
      { height: 5, dataBytes: 40, at: 140 * SECOND },
      { height: 6, at: 142 * SECOND },
    ]);
    at(150).rows('beta', [
      { da: 9, at: 145 * SECOND },
      { da: 9, at: 146 * SECOND, kind: 'data', bytes: 40 },
    ]);
    at(165).include('beta', 'lab-1', [{ height: 5, headerDa: 9, dataDa: 9 }]);
    at(190).include('alpha', 'lab-1', [{ height: 5, headerDa: 9, dataDa: 9 }]);
    at(880).progress('beta', 5);
    at(885).progress('beta', 'all of them');
    at(890).progress('beta', 6);
    at(900).include('beta', 'lab-1', [{ height: 6, headerDa: 11 }]);
    await appendLog(api.dataSource, log.events);
    // This log has no polls: without health intervals, the nodes count as monitored all the time.
    await api.dataSource.query('DELETE FROM health_interval');
  });

  it('lasts until the event that showed header and data, of a node as computed by hand', async () => {
    expect(await waitsOf('node: "alpha"', 80, 200)).toMatchObject({
      // The block of 10 s has waited since.
      waited: '3',
      unknown: '0',
      limitMs: 8_000,
      delayed: '3',
      transactionsDelayed: '2',
      stillWaiting: '1',
    });
    expect(await waitsOf('node: "alpha"', 130, 200, `, asOf: "${isoOf(200)}"`)).toMatchObject({
      waited: '3',
      maxMs: 190_000,
      longestStillWaitingMs: 190_000,
    });
    // 60 s and 50 s.
    const shown = await waitsOf('node: "alpha"', 80, 200, `, asOf: "${isoOf(155)}"`);
    expect(shown).toMatchObject({ waited: '3', stillWaiting: '2' });
  });

  it('ends, for a chain, at the first of its nodes', async () => {
    const ofChain = await waitsOf('chain: "lab-1"', 139, 141);
    const ofAlpha = await waitsOf('node: "alpha"', 139, 141, `, asOf: "${isoOf(191)}"`);
    const ofBeta = await waitsOf('node: "beta"', 139, 141);
    // The block of 140 s, and for lab-1 and alpha also those of 10 s and 90 s.
    expect([ofChain?.['waited'], ofAlpha?.['waited'], ofBeta?.['waited']]).toEqual(['3', '3', '1']);
    expect(ofBeta).toMatchObject({ maxMs: 25_000, limitMs: null, delayed: null });
  });

  it('is unknown for a block that came long after it was made, and already included', async () => {
    expect(await waitsOf('node: "alpha"', 0, 5)).toMatchObject({ waited: '1', unknown: '1', maxMs: null });
    // The block of 67 s came at once.
    expect(await waitsOf('node: "alpha"', 66, 68)).toMatchObject({ unknown: '0' });
  });

  it('is unknown for blocks that were found soon after an unmonitored time', async () => {
    const unwatched = { node: 'beta', component: 'COVERAGE', state: 'UNKNOWN', reason: '', differed_ms: 0 };
    const interval = (from: number, to: number, rule: string) => ({
      ...unwatched,
      from_at: isoOf(from),
      to_at: isoOf(to),
      rule,
      from_position: 1,
    });
    const { dataSource } = api;
    const unwatchedTo = async (second: number): Promise<void> => {
      await dataSource.query('DELETE FROM health_interval');
      const line = [interval(-900, second, 'unwatched'), interval(second, 1_000, 'covered')];
      await insertRows(dataSource, 'health_interval', line);
    };
    const shownSoon = () => waitsOf('node: "beta"', 139, 141);
    const shownLater = () => waitsOf('node: "beta"', 142, 143);
    // The wait of a block that was made when monitoring resumed is known.
    await unwatchedTo(140);
    expect(await shownSoon()).toMatchObject({ unknown: '0', maxMs: 25_000 });
    await unwatchedTo(141);
    // It was recorded at 155 s, not yet included.
    expect(await shownSoon()).toMatchObject({ unknown: '1', maxMs: 15_000 });
    // Ten minutes before the block was shown, a poll had seen that it was not shown yet.
    await unwatchedTo(300);
    // The block of 140 s still waited at 155 s, so it counts as well. Its wait is the unknown one.
    expect(await shownLater()).toMatchObject({ waited: '2', unknown: '1', maxMs: 758_000 });
    await unwatchedTo(301);
    // At 880 s the node itself said that it was not included.
    expect(await shownLater()).toMatchObject({
      waited: '2',
      unknown: '2',
      stillWaiting: '0',
      maxMs: 738_000,
      p95Ms: 738_000,
    });
    await dataSource.query('DELETE FROM health_interval');
  });

  it('counts blocks with asOf as it did then: what was shown as included later was not known to be posted', async () => {
    // The header of 140 s was posted at 145 s, its data at 146 s, and both were shown at 165 s.
    const blocksAt = async (travel: string) =>
      (
        await api.read<{ intervalReport: { blocks: Waits } }>(
          `{ intervalReport(chain: "lab-1", from: "${isoOf(139)}", to: "${isoOf(141)}"${travel}) { blocks { produced included lagMaxMs mostPending } } }`,
        )
      ).intervalReport.blocks;
    const waiting = { produced: '1', included: '0', lagMaxMs: null };
    const posted = { produced: '1', included: '1', lagMaxMs: 6_000 };
    expect(await blocksAt(`, asOf: "${isoOf(165)}"`)).toMatchObject(waiting);
    expect(await blocksAt(`, asOf: "${isoOf(166)}"`)).toMatchObject(posted);
    expect(await blocksAt('')).toMatchObject(posted);
    const [row] = await api.dataSource.query<{ at: bigint }[]>(
      "SELECT min(recorded_at) AS at FROM event WHERE stream = 'beta/blocks' AND type = 'BlockInclusionObserved'",
    );
    const knownAt = (us: bigint): string => `, knownAt: "${formatTime(microsToNanos(us))}"`;
    expect(await blocksAt(knownAt((row?.at ?? 0n) - 1n))).toMatchObject(waiting);
    expect(await blocksAt(knownAt(row?.at ?? 0n))).toMatchObject(posted);
  });

  it('is null where no block is recorded, and counts the waiting blocks by what was known then', async () => {
    expect(await waitsOf('node: "alpha"', -500_000, -400_000)).toBeNull();
    const [row] = await api.dataSource.query<{ at: bigint }[]>(
      "SELECT max(recorded_at) AS at FROM event WHERE stream = 'alpha/blocks' AND type = 'BlockInclusionObserved'",
    );
    const stillAt = async (us: bigint) => {
      const moment = formatTime(microsToNanos(us));
      return (await waitsOf('node: "alpha"', 139, 141, `, knownAt: "${moment}"`))?.['stillWaiting'];
    };
    expect([await stillAt((row?.at ?? 0n) - 1n), await stillAt(row?.at ?? 0n)]).toEqual(['2', '1']);
  });
});
