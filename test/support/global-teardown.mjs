import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { removeTestFolder } from './test-folder.mjs';

/** Stops the servers of this run, if any spec needed them, and says in the last lines what was not run. */
export default async function tearDown() {
  const folder = process.env.HINDSIGHT_TEST_FOLDER;
  if (!folder) return;
  const lacksRedis = existsSync(join(folder, 'no-redis'));
  await removeTestFolder(folder);
  if (!lacksRedis) return;
  process.stderr.write(
    '\nThe Redis half of the queue tests was NOT run: there is no REDIS_URL, no Docker and no redis-server here.\n' +
      'The Postgres half was. To run both: apt-get install redis-server, or set REDIS_URL.\n',
  );
}
