import type { Millis } from '../domain/time.js';
import { UserError } from '../platform/errors.js';
import type { Settings } from '../settings/settings.js';
import type { Database } from '../platform/sql.js';
import { connect } from './connect.js';
import { bringInYear, holdsYear } from './demo-year.js';

/** Separate data directory, so that the demo never shares the log of real nodes. */
export const DEMO_DATA_DIR = '.hindsight-demo';

type RecordLocation = Pick<Settings, 'dataDir' | 'databaseUrl'>;

/**
 * Called before a node is recorded. A log is append-only: events of real nodes would share it with the demo's sample for ever.
 * @throws UserError if the log has the sample
 */
export async function refuseDemoRecord(place: RecordLocation, databaseUrl: string): Promise<void> {
  if (!(await withConnection(databaseUrl, holdsYear))) return;
  throw new UserError(
    `The record in ${nameOf(place)} is the demo's, and has synthetic events.`,
    place.databaseUrl === undefined
      ? `Record your nodes in a folder of their own: node dist/main.js start --data-dir ${place.dataDir}-own …; to continue the demo: node dist/main.js demo --data-dir ${place.dataDir}`
      : 'Record your nodes in a database of their own: node dist/main.js start --database-url URL …; or leave --database-url out to use the embedded database.',
  );
}

/**
 * Called before the demo records anything: fills an empty log with the sample.
 * @param now Unix milliseconds; the sample ends a little earlier
 * @throws UserError if the log has events of nodes, but not the sample
 */
export async function bringInSample(place: RecordLocation, databaseUrl: string, now: Millis): Promise<void> {
  if (await withConnection(databaseUrl, (dataSource) => bringInYear(dataSource, now))) return;
  throw new UserError(
    `The record in ${nameOf(place)} is not the demo's.`,
    `Give the demo a folder of its own: node dist/main.js demo --data-dir ${DEMO_DATA_DIR}`,
  );
}

function nameOf({ dataDir, databaseUrl }: RecordLocation): string {
  return databaseUrl === undefined ? dataDir : 'this database';
}

async function withConnection<T>(url: string, work: (dataSource: Database) => Promise<T>): Promise<T> {
  const dataSource = await connect(url, 2);
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
