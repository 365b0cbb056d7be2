import type { Database } from '../../platform/sql.js';
import { daysLeft } from '../../domain/disk-growth.js';
import type { OwnHealth } from '../../alerts/alerts-options.js';
import { readDatabaseFacts } from './readiness-facts.query.js';
import { judgeReadiness } from './readiness.js';
import type { RecordingState } from './recording-state.js';

/** Judges by the record alone, as an observer without trouble of its own. */
const ANYBODY: RecordingState = {
  is: 'standby',
  uptimeMs: Infinity,
  troubleMs: 0,
  failingMs: 0,
  waitingMs: 0,
};

/** Hindsight's own health as far as the database knows it. The disk is reported separately. */
export async function readOwnHealth(dataSource: Database): Promise<OwnHealth> {
  const { disk, ...facts } = await readDatabaseFacts(dataSource);
  const { reason, degraded = [] } = judgeReadiness(facts, ANYBODY, undefined).readiness;
  return { notReady: reason, degraded, freeBytes: disk?.freeBytes, daysLeft: disk && daysLeft(disk) };
}
