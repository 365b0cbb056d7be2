import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureCluster } from '../../src/platform/embedded-postgres/cluster.js';
import { placeCluster } from '../../src/platform/embedded-postgres/home.js';

/**
 * Creates a never started cluster in a data directory, as `initdb` leaves it. It is created once per run and copied, which takes
 * a tenth of the time. Each copy has the same password.
 */
export async function giveCluster(dataDir: string): Promise<void> {
  const folder = process.env['HINDSIGHT_TEST_FOLDER'];
  if (folder === undefined) throw new Error('jest ran without test/support/global-setup.mjs');
  const made = placeCluster(join(folder, 'made'));
  await ensureCluster(made);
  mkdirSync(dataDir, { recursive: true });
  await promisify(execFile)('cp', ['-a', made.home, dataDir]);
}
