import { judgeReadiness as judgeAll, type DatabaseFacts, type ProjectionFacts } from './readiness.js';
import type { RecordingState } from './recording-state.js';

const judgeReadiness = (...known: Parameters<typeof judgeAll>) => judgeAll(...known).readiness;

const LOG = {
  position: '9',
  idleSeconds: 4,
  watchedNodes: 2,
  leases: [{ shard: '1/1', isHeld: true }],
  aheadMs: 0,
};
const FINE = {
  log: LOG,
  projections: [],
  statisticsBehindSeconds: 0,
  upgrades: [],
  faults: [],
  disk: { logBytes: 5_000n, readModelBytes: 9_000n, freeBytes: undefined },
};
const LEADING: RecordingState = {
  is: 'leading',
  uptimeMs: 600_000,
  troubleMs: 0,
  failingMs: 0,
  waitingMs: 0,
};

const at = (position: string, changes: Partial<ProjectionFacts> = {}): ProjectionFacts => ({
  name: 'record',
  position,
  behind: String(9 - Number(position)),
  stillSeconds: 0,
  waitingSeconds: null,
  ...changes,
});

describe('readiness', () => {
  it('is reported while everything works', () => {
    expect(judgeReadiness(FINE, LEADING, undefined)).toEqual({
      ready: true,
      database: 'reachable',
      logPosition: '9',
      lastRecordedSeconds: 4,
      observing: 'leading',
      projections: [],
      statisticsBehindSeconds: 0,
      disk: { log: 5_000, readModels: 9_000 },
    });
  });

  it.each<[string, Partial<RecordingState>, Partial<DatabaseFacts['log']>, string]>([
    [
      'appends fail',
      { failingMs: 30_000, failure: 'No space left on device' },
      {},
      'Nothing could be recorded for 30 s: No space left on device.',
    ],
    ['an append hangs', { waitingMs: 31_000 }, {}, 'the database has not answered an append for 31 s'],
    [
      'it lost the lease',
      { is: 'lost', troubleMs: 45_000, trouble: 'the lease could not be renewed' },
      {},
      'This process has observed nothing for 45 s: the lease could not be renewed.',
    ],
    [
      'it keeps losing and regaining the lease',
      { troubleMs: 30_000 },
      {},
      'for 30 s: the process lost its lease',
    ],
    ['nothing comes', {}, { idleSeconds: 151 }, 'Nothing has been recorded for 151 s'],
    ['nothing comes from the leader', { is: 'standby' }, { idleSeconds: 200 }, 'Nothing has been recorded'],
  ])('is not reported for an observer when %s', (_, recording, log, reason) => {
    const facts = { ...FINE, log: { ...LOG, ...log } };
    const readiness = judgeReadiness(facts, { ...LEADING, ...recording }, undefined);
    expect(readiness.ready).toBe(false);
    expect(readiness.reason).toContain(reason);
  });

  it.each<[string, Partial<RecordingState>, Partial<DatabaseFacts['log']>]>([
    ['a passing failure', { failingMs: 29_000, failure: 'deadlock' }, {}],
    ['a slow append', { waitingMs: 29_000 }, {}],
    ['a lease that was just lost', { is: 'lost', troubleMs: 20_000 }, {}],
    ['another process that leads', { is: 'standby' }, {}],
    ['no nodes to watch', {}, { idleSeconds: 5_000, watchedNodes: 0 }],
    ['an empty log', {}, { idleSeconds: null }],
    ['a start after a long rest', { uptimeMs: 2_000 }, { idleSeconds: 90_000 }],
  ])('stays with %s', (_, recording, log) => {
    const facts = { ...FINE, log: { ...LOG, ...log } };
    expect(judgeReadiness(facts, { ...LEADING, ...recording }, undefined).ready).toBe(true);
  });

  it('depends on how long a projection with pending work has made no progress', () => {
    const judge = (projection: ProjectionFacts) =>
      judgeReadiness({ ...FINE, projections: [projection] }, LEADING, undefined).ready;
    expect(judge(at('9', { stillSeconds: 9_000 }))).toBe(true);
    expect(judge(at('7', { stillSeconds: 9_000, waitingSeconds: 59 }))).toBe(true);
    expect(judge(at('7', { stillSeconds: 59, waitingSeconds: 9_000 }))).toBe(true);
    expect(judge(at('7', { stillSeconds: 60, waitingSeconds: 60 }))).toBe(false);
  });

  it('does not require read models that are being rebuilt, and reports the time of their answers', () => {
    const upgrade = {
      readModels: ['record', 'prices', 'statistics'],
      differing: ['record'],
      made: 'older',
      asOf: 7n,
    } as const;
    const projections = [at('7', { stillSeconds: 9_000, waitingSeconds: 9_000 })];
    const judge = (share?: number) =>
      judgeReadiness(
        { ...FINE, projections, upgrades: [{ ...upgrade, ...(share !== undefined && { share }) }] },
        LEADING,
        undefined,
      );
    expect(judge(0.437)).toMatchObject({
      ready: true,
      degraded: [
        'An older release made record, prices, statistics; the new ones are 43 % replayed. Until they are in use, answers are as of position 7.',
      ],
    });
    expect(judge().degraded?.[0]).toContain('wait for a worker');
  });

  it('excuses only the read models whose rules differ', () => {
    const upgrades = [
      { readModels: ['record', 'prices'], differing: ['record'], made: 'older', asOf: 7n } as const,
    ];
    const projections = [at('7', { name: 'prices', stillSeconds: 90, waitingSeconds: 90 })];
    const { ready, reason } = judgeReadiness({ ...FINE, upgrades, projections }, LEADING, undefined);
    expect([ready, reason]).toEqual([false, 'These projections make no progress: prices.']);
  });

  it.each([
    ['2024a', '2026b', 'until a worker with the same data has made the stored days again'],
    ['2026b', '2024a', 'and computes no statistics'],
  ])('reports that days are of zone data %s while it has %s', (stored, ours, consequence) => {
    const { ready, degraded } = judgeReadiness(
      { ...FINE, otherZoneData: { stored, ours } },
      LEADING,
      undefined,
    );
    expect(ready).toBe(true);
    expect(degraded).toEqual([
      expect.stringContaining(
        `use time zone data ${stored}, and this process has ${ours}: it adds up its own`,
      ),
    ]);
    expect(degraded?.[0]).toContain(consequence);
  });

  it('reports why a rebuild failed', () => {
    const upgrade = { readModels: ['health'], differing: ['health'], made: 'older', asOf: 7n } as const;
    const upgrades = [{ ...upgrade, failure: 'No room. Make some.' }];
    const { degraded } = judgeReadiness({ ...FINE, upgrades }, LEADING, undefined);
    expect(degraded?.[0]).toMatch(/ The last try failed: No room. Make some.$/);
  });

  it('reports the shards without an observer', () => {
    const lease = (shard: string, isHeld: boolean) => ({ shard, isHeld });
    const degradedBy = (...leases: ReturnType<typeof lease>[]) =>
      judgeReadiness({ ...FINE, log: { ...LOG, leases } }, LEADING, undefined).degraded;
    expect(degradedBy(lease('1/3', true), lease('2/3', false), lease('1/1', false))).toEqual([
      'No process observes the nodes of these shards: 2/3, 3/3.',
    ]);
    expect(degradedBy(lease('1/2', true), lease('2/2', true), lease('1/1', false))).toBeUndefined();
  });

  it.each([
    [8_000_000_000n, undefined, undefined],
    [8_000_000_000n, 1_000_000_000, undefined],
    [
      6_000_000_000n,
      1_000_000_000,
      "Only 6.0 GB are free on the database's disk, enough for 6 days at the present growth.",
    ],
    [1_999_999_999n, undefined, "Only 2.0 GB are free on the database's disk."],
    [1_999_999_999n, 1, "Only 2.0 GB are free on the database's disk."],
    [undefined, 1_000_000_000, undefined],
  ])('reports, with %s free bytes and a growth of %s a day: %s', (freeBytes, growth, sentence) => {
    const disk = { ...FINE.disk, freeBytes, ...(growth !== undefined && { growthBytesPerDay: growth }) };
    const { ready, degraded } = judgeReadiness({ ...FINE, disk }, LEADING, undefined);
    expect([ready, degraded]).toEqual([true, sentence && [sentence]]);
  });

  it('reports what is known about the disk', () => {
    const disk = { ...FINE.disk, freeBytes: 8_000n, growthBytesPerDay: 100.4 };
    expect(judgeReadiness({ ...FINE, disk }, LEADING, undefined).disk).toEqual({
      log: 5_000,
      readModels: 9_000,
      free: 8_000,
      growth: 100,
      daysLeft: 79.7,
    });
    expect(judgeReadiness(FINE, LEADING, undefined).disk).toEqual({ log: 5_000, readModels: 9_000 });
  });

  it.each([
    [{ behindSeconds: 0, position: '9' }, undefined],
    [{ behindSeconds: 59, position: '9' }, undefined],
    [{ behindSeconds: 75.2, position: '9' }, 'The replica that answers queries is 75 s behind.'],
    [{ behindSeconds: null, position: '9' }, 'The lag of the replica that answers queries is unknown.'],
    [
      { behindSeconds: null, position: null },
      'The replica that answers queries does not respond: queries are refused until it does.',
    ],
  ])('reports for a replica at %j: %s', (replica, sentence) => {
    const { ready, degraded } = judgeReadiness(FINE, LEADING, undefined, replica);
    expect([ready, degraded]).toEqual([true, sentence && [sentence]]);
  });

  it('also lists every other fault', () => {
    const facts: DatabaseFacts = {
      ...FINE,
      log: { ...LOG, idleSeconds: 200, leases: [{ shard: '1/1', isHeld: false }], aheadMs: 3_600_000 },
      statisticsBehindSeconds: 61,
      upgrades: [{ readModels: ['health'], differing: ['health'], made: 'newer', asOf: 3n }],
      faults: ['Something was set aside.'],
      disk: { ...FINE.disk, freeBytes: 1_500_000_000n },
      turnsLeft: { position: 8n, chain: 'c1', done: 15_000n, turns: 3 },
    };
    const queue = { backend: 'redis', state: 'unreachable' } as const;
    const { ready, degraded } = judgeReadiness(facts, undefined, queue);
    expect(ready).toBe(true);
    expect(degraded).toEqual([
      'Nothing has been recorded for 200 s, although nodes are monitored.',
      'No process observes the nodes.',
      'The record is updating its decisions about chain c1 after the event at position 8: 15000 rows or DA heights of the first of 3 remaining steps are done.',
      'A newer release made health; this process reads them but does not write them.',
      'The job queue does not answer: jobs wait, and the statistics are computed without it.',
      'The statistics are 61 s behind the record.',
      "The log is 3600 s ahead of the database's clock: until the clock has caught up, past states cannot be determined.",
      "Only 1.5 GB are free on the database's disk.",
      'Something was set aside.',
    ]);
  });

  it('reports why the queue does not answer without the address of its server', () => {
    const reason = 'The job queue cannot be used: connect ECONNREFUSED 10.1.2.3:6379';
    const { queue } = judgeReadiness(FINE, LEADING, { backend: 'redis', state: 'unreachable', reason });
    expect(queue).toEqual({
      backend: 'redis',
      state: 'unreachable',
      reason: 'The job queue cannot be used: connect ECONNREFUSED',
    });
  });

  it('reports the same to strangers in general words: no position, no number, no name, no error text', () => {
    const facts: DatabaseFacts = {
      log: {
        ...LOG,
        position: '4711',
        idleSeconds: 4711,
        leases: [{ shard: '1/4711', isHeld: true }],
        aheadMs: 4_711_000,
      },
      projections: [at('4', { name: 'secret-name', stillSeconds: 4711, waitingSeconds: 4711 })],
      statisticsBehindSeconds: 4711,
      upgrades: [
        { readModels: ['secret-name'], differing: [], made: 'older', asOf: 4711n, failure: 'secret-name' },
      ],
      otherZoneData: { stored: '4711a', ours: '4711b' },
      faults: ['secret-name 1', 'secret-name 2'],
      disk: { ...FINE.disk, freeBytes: 1_500_000_000n },
    };
    const recording = { ...LEADING, failingMs: 4_711_000, failure: 'secret-name at 10.0.0.5:4711' };
    const { outline } = judgeAll(facts, recording, { backend: 'redis', state: 'unreachable' });
    expect(outline).toEqual({
      ready: false,
      database: 'reachable',
      reason: 'Nothing can be recorded. Some projections make no progress.',
      degraded: [
        'Some recorded events are not read yet: lists and figures lack them.',
        'No process observes some of the nodes.',
        'Some read models are made again.',
        'Processes with other time zone data are running.',
        'The job queue does not answer.',
        'The statistics are behind the record.',
        "The log is ahead of the database's clock.",
        "Little space is free on the database's disk.",
        'Some events or statistics could not be processed.',
      ],
    });
    expect(judgeAll(FINE, LEADING, undefined).outline).toEqual({ ready: true, database: 'reachable' });
  });

  it.each([
    ['connect ECONNREFUSED 127.0.0.1:33589', 'connect ECONNREFUSED'],
    [
      'connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432',
      'connect ECONNREFUSED; connect ECONNREFUSED',
    ],
    ['getaddrinfo ENOTFOUND db.internal.example', 'getaddrinfo ENOTFOUND'],
    ['connect ENOENT /var/run/postgresql/.s.PGSQL.5432', 'connect ENOENT'],
    [
      'no pg_hba.conf entry for host "10.0.0.5", user "x"',
      'no pg_hba.conf entry for host "(address)", user "x"',
    ],
    ['cannot reach db-1.internal:6432', 'cannot reach (address)'],
    ['no route to fe80::1ff:fe23:4567:890a', 'no route to (address)'],
    ['No space left on device', 'No space left on device'],
  ])('contains no address of a server: %s', (failure, words) => {
    const { reason } = judgeReadiness(FINE, { ...LEADING, failingMs: 30_000, failure }, undefined);
    expect(reason).toBe(`Nothing could be recorded for 30 s: ${words}.`);
  });
});
