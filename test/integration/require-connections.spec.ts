import { createDataSource, type DatabasePool } from '../../src/platform/database.js';
import { createLogger } from '../../src/platform/logger.js';
import { countNeeded, requireConnections } from '../../src/platform/require-connections.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';

const ROLE = `few_${process.pid}`;

function fewUrl(owners: string): string {
  const url = new URL(owners);
  [url.username, url.password] = [ROLE, 'few'];
  return url.toString();
}

describe('the connections of a database', () => {
  let database: TestDatabase;
  let owner: DatabasePool;
  let few: DatabasePool;
  const warnings: unknown[] = [];
  const logger = createLogger('silent');

  beforeAll(async () => {
    database = await startEmptyDatabase();
    owner = createDataSource({ url: database.url, poolSize: 2 });
    await owner.initialize();
    await owner.query(`CREATE ROLE ${ROLE} LOGIN PASSWORD 'few' CONNECTION LIMIT 20`);
    few = createDataSource({ url: fewUrl(database.url), poolSize: 2 });
    await few.initialize();
    logger.warn = (facts: unknown) => void warnings.push(facts);
  });
  afterAll(async () => {
    await few?.destroy();
    await owner?.query(`DROP ROLE IF EXISTS ${ROLE}`);
    await owner?.destroy();
    await database?.stop();
  });

  it('must be as many as a process takes', async () => {
    await expect(requireConnections(few, 25, logger)).rejects.toMatchObject({
      name: 'UserError',
      message: 'This process takes up to 25 connections to the database, and the server allows 20.',
      remedy: expect.stringContaining('max_connections') as unknown,
    });
    await requireConnections(few, 12, logger);
    await requireConnections(owner, 25, logger);
    expect(warnings).toEqual([]);
  });

  it('are missed in the log while other programs have them', async () => {
    const others = createDataSource({ url: fewUrl(database.url), poolSize: 15 });
    await others.initialize();
    await Promise.all(Array.from({ length: 15 }, async () => others.query('SELECT pg_sleep(0.5)')));
    await requireConnections(few, 12, logger);
    await others.destroy();
    expect(warnings.splice(0)).toEqual([{ needed: 12, free: 5, limit: 20 }]);

    const [server] = await owner.query<{ most: number }[]>(
      "SELECT current_setting('max_connections')::int AS most",
    );
    const most = server?.most ?? 0;
    await requireConnections(owner, most, logger);
    expect(warnings).toEqual([{ needed: most, free: expect.any(Number) as number, limit: most }]);
    await expect(requireConnections(owner, most + 1, logger)).rejects.toThrow(`the server allows ${most}.`);
  });

  it('are counted by role, and fewer with a Redis or a replica', () => {
    expect(countNeeded('all', { replica: false, redis: false })).toBe(25);
    expect(countNeeded('all', { replica: false, redis: true })).toBe(20);
    expect(countNeeded('observer', { replica: true, redis: false })).toBe(11);
    expect(countNeeded('api', { replica: true, redis: true })).toBe(5);
  });
});
