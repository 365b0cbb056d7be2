import type { NewEvent } from '../../src/domain/events.js';
import { microsToMillis } from '../../src/domain/time.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { projectAll } from '../support/read-models.js';
import { SmallLog } from '../support/small-log.js';
import { useApi } from '../support/use-database.js';

const HOUR = 'bucket: HOUR, from: "2026-11-21T00:00:00Z", to: "2026-11-21T01:00:00Z"';
const ID = 'lab-1~1~HEADER~11';
/** Two attempts that are equal, except for their times. */
const TIMED_OUT = [118_000, 119_000].map((at) => ({ status: 'Context Deadline', at }));

const ROWS = (past: string): string => `{
  submissions(order: OBSERVED_ASC ${past}) { nodes { id status evidence possibleAttempts blocks } }
  filtered: submissions(filter: {evidence: [UNDECIDED]} ${past}) { nodes { id } }
  submission(id: "${ID}" ${past}) { id status evidence possibleAttempts } }`;
const FIGURES = (past: string): string => `{
  statistics(${HOUR} ${past}) { attempts successes failures successRate reconstructed undecided landed blobCount sizeBytes
    blobBytes { count } provenLost }
  costReport(${HOUR} ${past}) { submissions landed failedAttempts sizeBytes } }`;

const OF_NODES = `{ statistics(${HOUR}, groupBy: [NODE]) { node attempts undecided blobCount } }`;

interface Rows {
  readonly submissions: { readonly nodes: readonly { readonly id: string; readonly evidence: string }[] };
  readonly filtered: object;
  readonly submission: object | null;
}

describe('blobs that some attempt may have posted', () => {
  const api = useApi();
  const log = new SmallLog();
  const versions = new Map<string, bigint>();
  const times: string[] = [];
  /** The answers after each step. */
  const rows: Rows[] = [];
  const figures: object[] = [];
  const ofNode: object[] = [];
  let appended = 0;

  /** All read models process new events, and the time is noted from which they are known. */
  const know = async (): Promise<void> => {
    const store = new EventStore(api.dataSource);
    for (const { stream, type, observedAt, body } of log.events.slice(appended)) {
      const expectedVersion = versions.get(stream) ?? 0n;
      const events = [{ type, body, observedAt: microsToMillis(observedAt) } as NewEvent];
      expect((await store.append({ stream, expectedVersion, events })).won).toBe(true);
      versions.set(stream, expectedVersion + 1n);
    }
    appended = log.events.length;
    await projectAll(api.dataSource);
    await new RollUp(api.dataSource).run();
    const [row] = await api.dataSource.query<{ at: string }[]>(
      `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at`,
    );
    times.push(row?.at ?? '');
    rows.push(await api.read(ROWS('')));
    figures.push(await api.read(FIGURES('')));
    ofNode.push(await api.read(OF_NODES));
  };

  beforeAll(async () => {
    log.register('alpha', 'lab-1').describe('alpha', 'lab-1');
    log.now = 60_000;
    log.rows('alpha', [{ da: 10 }]).blocks('alpha', 'lab-1', [{ height: 1, headerDa: 10 }]);
    log.now = 120_000;
    log.rows('alpha', TIMED_OUT);
    log.now = 130_000;
    log.blocks('alpha', 'lab-1', [
      { height: 2, headerDa: 11, at: 110_000 },
      { height: 3, headerDa: 12, at: 112_000 },
    ]);
    log.now = 180_000;
    log.watch('alpha').rows('alpha', []).watch('alpha');
    await know();
    // The next success of the list: one of the two attempts is the group.
    log.now = 240_000;
    log.rows('alpha', [{ da: 12 }]);
    await know();
  });

  const TOLD = { status: 'SUCCESS', evidence: 'UNDECIDED', possibleAttempts: 2 };

  it('are one row of the chain with the number of possible attempts, while the attempts stay failures', async () => {
    const past = `, knownAt: "${times[0]}"`;
    const { submissions, ...found } = await api.read<Rows>(ROWS(past));
    expect(submissions.nodes.map(({ id, evidence }) => `${id} ${evidence}`)).toEqual([
      'alpha~1 CONFIRMED',
      'alpha~2 OBSERVED',
      'alpha~3 OBSERVED',
      `${ID} UNDECIDED`,
    ]);
    expect(submissions.nodes.at(-1)).toEqual({ id: ID, ...TOLD, blocks: ['2'] });
    expect(found).toEqual({ filtered: { nodes: [{ id: ID }] }, submission: { id: ID, ...TOLD } });
    // The answer before more was known.
    expect(rows[0]).toEqual({ submissions, ...found });
  });

  it('count once for the chain in volume and cost, and neither as attempts nor as reconstructed', async () => {
    const counted = {
      statistics: [
        {
          attempts: '3',
          successes: '1',
          failures: '2',
          successRate: 1 / 3,
          reconstructed: '0',
          undecided: '1',
          landed: '0',
          blobCount: '2',
          sizeBytes: '662',
          blobBytes: { count: '2' },
          provenLost: '0',
        },
      ],
      costReport: [{ submissions: '2', landed: '0', failedAttempts: '2', sizeBytes: '662' }],
    };
    expect(figures[0]).toEqual(counted);
    expect(await api.read(FIGURES(`, knownAt: "${times[0]}"`))).toEqual(counted);
    expect(ofNode[0]).toEqual({
      statistics: [{ node: 'alpha', attempts: '3', undecided: '0', blobCount: '1' }],
    });
  });

  it('are withdrawn when one attempt is identified, which then counts in their place', async () => {
    const { submissions, filtered, submission } = await api.read<Rows>(ROWS(''));
    expect(submissions.nodes.map(({ id, evidence }) => `${id} ${evidence}`)).toEqual([
      'alpha~1 CONFIRMED',
      'alpha~2 OBSERVED',
      'alpha~3 CONFIRMED',
      'alpha~4 CONFIRMED',
    ]);
    expect([filtered, submission]).toEqual([{ nodes: [] }, null]);
    const told = await api.read<Pick<Rows, 'submissions'>>(
      '{ submissions(filter: {updatedSince: "2000-01-01T00:00:00Z"}) { nodes { id withdrawn } } }',
    );
    expect(told.submissions.nodes).toContainEqual({ id: ID, withdrawn: true });
    expect(figures[1]).toMatchObject({
      statistics: [
        { attempts: '4', failures: '2', undecided: '0', landed: '1', blobCount: '3', sizeBytes: '993' },
      ],
      costReport: [{ submissions: '3', landed: '1', failedAttempts: '1', sizeBytes: '993' }],
    });
  });
});
