import { addKey } from '../../src/api/keys/stored-keys.js';
import { LockTaken, takeLock } from '../../src/platform/locks.js';
import { inTransaction } from '../../src/platform/sql.js';
import { waitFor } from '../support/service-process.js';
import { useDatabase } from '../support/use-database.js';

describe('a lock', () => {
  const dataSource = useDatabase();

  /** Holds a lock until it is released; returns the process of the server. */
  const hold = async (take: string): Promise<{ pid: number; release: () => Promise<void> }> => {
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    const [{ pid }] = (await runner.query(`SELECT pg_backend_pid() AS pid, ${take}`)) as [{ pid: number }];
    return { pid, release: () => runner.commitTransaction().then(() => runner.release()) };
  };

  // Hashes of names are often negative.
  it.each(['7', '-7', "hashtext('a name')", '4611686018427387904'])(
    'of key %s is given up after a time, and the process that holds it is named',
    async (key) => {
      const { pid, release } = await hold(`pg_advisory_xact_lock(${key})`);
      const take = inTransaction(dataSource, (query) =>
        takeLock(query, key, { of: 'the thing', waitMs: 50, isShared: true }),
      );
      await expect(take).rejects.toThrow(LockTaken);
      await expect(take).rejects.toMatchObject({
        message: expect.stringMatching(
          `^The thing is held by the role \\w+ \\(hindsight ${process.pid}, process ${pid} of the server, in a transaction since .+Z\\)\\.$`,
        ),
        code: '55P03',
      });
      await release();
    },
  );

  it('is waited for, and shared with other shared holders', async () => {
    const { release } = await hold('pg_advisory_xact_lock_shared(7)');
    await inTransaction(dataSource, (query) =>
      takeLock(query, '7', { of: 'the thing', waitMs: 50, isShared: true }),
    );
    let isTaken = false;
    const taking = inTransaction(dataSource, async (query) => {
      await takeLock(query, '7', { of: 'the thing', waitMs: 60_000 });
      isTaken = true;
      // Later statements are not bound by its time limit.
      expect(await query('SHOW lock_timeout')).toEqual([{ lock_timeout: '0' }]);
    });
    await waitFor('it to wait', async () => {
      const waiting = await dataSource.query<unknown[]>(
        'SELECT FROM pg_locks WHERE NOT granted AND objid = 7',
      );
      return waiting.length > 0 || undefined;
    });
    expect(isTaken).toBe(false);
    await release();
    await taking;
    expect(isTaken).toBe(true);
  });

  it('does not keep a command that adds a key waiting for ever', async () => {
    const { pid, release } = await hold("pg_advisory_xact_lock(x'686b6579'::int)");
    const key = { name: 'grafana', scope: 'read', hash: Buffer.alloc(32) } as const;
    await expect(addKey(dataSource, key)).rejects.toThrow(`process ${pid} of the server`);
    await release();
    await addKey(dataSource, key);
  });
});
