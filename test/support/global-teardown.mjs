import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { removeTestFolder } from './test-folder.mjs';

/** Marker files that specs leave when a program is missing, with the message for each. */
const NOT_RUN = {
  'no-redis':
    'The Redis half of the queue tests was NOT run: there is no REDIS_URL, no Docker and no redis-server here.\n' +
    'The Postgres half was. To run both: apt-get install redis-server, or set REDIS_URL.\n',
  'no-prometheus':
    'No Prometheus has scraped /metrics: there is none here. To have one: apt-get install prometheus.\n',
  'no-promtool':
    'The rules and metrics were NOT checked by promtool. To have it: apt-get install prometheus.\n',
  'no-psql':
    'No psql has read the views: there is none here. To have one: apt-get install postgresql-client.\n',
  'no-pgbouncer':
    'No PgBouncer has stood before the database: there is none here. To have one: apt-get install pgbouncer.\n',
  'no-chromium':
    'No browser has looked at the pages: there is no Chromium here. To have it: apt-get install chromium.\n',
  'no-curl': 'What pages ask by curl was NOT asked: there is none here. To have it: apt-get install curl.\n',
  'no-jq':
    'What pages ask by curl and jq was NOT asked: there is no jq here. To have it: apt-get install jq.\n',
  'no-script':
    'Nothing was asked at a terminal: there is no script here. To have it: apt-get install bsdutils.\n',
  'no-python3': 'No example for Python was run: there is none here. To have it: apt-get install python3.\n',
  'no-pandas':
    'The example for pandas was NOT run: Python has none here. To have it: pip install pandas; HINDSIGHT_TEST_PYTHON names another Python.\n',
  'no-gql':
    'No Python client has asked GraphQL: Python has no gql here. To have it: pip install "gql[requests,websockets]"; HINDSIGHT_TEST_PYTHON names another Python.\n',
};

/** Stops the servers of this run, if any spec needed them, and ends the output with the parts that were not run. */
export default async function tearDown() {
  const folder = process.env.HINDSIGHT_TEST_FOLDER;
  if (!folder) return;
  const missing = Object.entries(NOT_RUN).filter(([file]) => existsSync(join(folder, file)));
  await removeTestFolder(folder);
  for (const [, text] of missing) process.stderr.write(`\n${text}`);
}
