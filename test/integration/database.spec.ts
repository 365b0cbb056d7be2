import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/platform/database.js';
import { openPools } from '../../src/platform/pools.js';
import { ReadDatabase } from '../../src/platform/reads/read-database.js';
import { TAKE_TIME_BACK } from '../../src/platform/timed-client.js';
import { inTransaction, onConnection } from '../../src/platform/sql.js';
import { itAtOnce } from '../support/at-once.js';
import { BlackHoleProxy } from '../support/black-hole-proxy.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';

/** A statement may take 1.5 s, and the pool waits for two. */
const LIMITS = { statementMs: 1_500, idleInTransactionMs: 60_000 };
const LONG = 'SELECT pg_sleep(2.2)';

describe('a pool of connections', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await startEmptyDatabase();
  });
  afterAll(() => database?.stop());

  /** A pool whose connections can be made to die. */
  async function withPool(use: (pool: DataSource, line: BlackHoleProxy) => Promise<unknown>): Promise<void> {
    const line = await BlackHoleProxy.start(database.url);
    const pool = await createDataSource({ url: line.url, poolSize: 2, limits: LIMITS }).initialize();
    try {
      await use(pool, line);
    } finally {
      await pool.destroy();
      await line.stop();
    }
  }

  it('leaves nothing that keeps a process waiting, once it is closed', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const reads = new ReadDatabase({ url: database.url, isReplica: false, poolSize: 1 });
    expect(await reads.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await reads.close();
    // Connections of others may end meanwhile.
    expect(timers()).toBeLessThanOrEqual(before);
  });

  itAtOnce({
    ...Object.fromEntries(
      [
        ['SET LOCAL', "SET LOCAL statement_timeout = '1min'"],
        ['a function', "SELECT set_config('statement_timeout', '1min', true)"],
      ].map(([name, sql = '']) => [
        `waits for statements that were given more time by ${name}`,
        () =>
          withPool(async (pool, line) => {
            await inTransaction(pool, async (query) => {
              await query(sql);
              await query(LONG);
            });
            // Only in that transaction.
            await onConnection(pool, async (query) => {
              line.swallow();
              await expect(query('SELECT 1')).rejects.toThrow('did not answer for 2 s');
            });
          }),
      ]),
    ),

    'waits for statements of a session that was given more time, until it is taken back': () =>
      withPool((pool, line) =>
        onConnection(pool, async (query) => {
          await query('SET statement_timeout = 0');
          await query(LONG);
          await query('BEGIN');
          await query("SET LOCAL statement_timeout = '1min'");
          await query('COMMIT');
          await query(LONG);
          await query(TAKE_TIME_BACK);
          await expect(query(LONG)).rejects.toThrow('canceling statement due to statement timeout');
          line.swallow();
          await expect(query('SELECT 1')).rejects.toThrow('did not answer for 2 s');
        }),
      ),

    'counts the time of each statement by itself where several wait for one connection': () =>
      withPool(async (pool) => {
        const done = onConnection(pool, (query) =>
          Promise.all(
            Array.from({ length: 4 }, (_, n) => query(`SELECT ${String(n)} AS n FROM pg_sleep(0.8)`)),
          ),
        );
        expect(await done).toEqual([[{ n: 0 }], [{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
      }),

    'fails a statement that waits 5 s for a free connection, but not a read of an observer': async () => {
      const pools = await openPools({ url: database.url, role: 'observer' });
      const answers = await Promise.allSettled(
        [pools.appends, pools.observer?.streams ?? pools.appends].flatMap((pool) => [
          pool.query('SELECT pg_sleep(5.5)'),
          pool.query('SELECT pg_sleep(5.5)'),
          pool.query('SELECT 1 AS one'),
        ]),
      );
      const slept = [{ pg_sleep: '' }];
      expect(
        answers.map((answer) => (answer.status === 'rejected' ? String(answer.reason) : answer.value)),
      ).toEqual([slept, slept, 'Error: timeout exceeded when trying to connect', slept, slept, [{ one: 1 }]]);
      await pools.close();
    },

    'gives up connections that died without a word, and makes others': () =>
      withPool(async (pool, line) => {
        await Promise.all([pool.query('SELECT pg_sleep(0.2)'), pool.query('SELECT pg_sleep(0.2)')]);
        line.swallow();
        const answers = await Promise.allSettled([pool.query('SELECT 1'), pool.query('SELECT 2')]);
        expect(answers.map((answer) => answer.status === 'rejected' && String(answer.reason))).toEqual([
          expect.stringContaining('The database did not answer for 2 s'),
          expect.stringContaining('The database did not answer for 2 s'),
        ]);
        expect(await pool.query('SELECT 3 AS three')).toEqual([{ three: 3 }]);
      }),

    'gives up a transaction whose connection died, and says of what': () =>
      withPool(async (pool, line) => {
        const work = inTransaction(pool, async (query) => {
          await query('SELECT 1');
          line.swallow();
          await query('SELECT 2');
        });
        await expect(work).rejects.toThrow('The database did not answer for 2 s; its connection was closed.');
        expect(await inTransaction(pool, (query) => query('SELECT 3 AS three'))).toEqual([{ three: 3 }]);
      }),
  });

  it('lets the server, too, find out that the client is gone', async () => {
    let settings: unknown;
    await withPool(async (pool) => {
      settings = await pool.query(
        `SELECT name, setting FROM pg_settings
          WHERE name LIKE 'tcp_%' OR name = 'client_connection_check_interval' ORDER BY name`,
      );
    });
    expect(settings).toEqual([
      { name: 'client_connection_check_interval', setting: '5000' },
      { name: 'tcp_keepalives_count', setting: '3' },
      { name: 'tcp_keepalives_idle', setting: '10' },
      { name: 'tcp_keepalives_interval', setting: '3' },
      { name: 'tcp_user_timeout', setting: '30000' },
    ]);
  });
});
