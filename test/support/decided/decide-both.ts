import type { RecordedEvent } from '../../../src/domain/events.js';
import { useDatabase } from '../use-database.js';
import { differencesOf } from './compare.js';
import { decideLog, type Decided } from './decide-log.js';
import { readHeld } from './held.js';
import { ProjectedRecord, type Way } from './projected-record.js';

const WAYS: readonly (Way & { readonly batchSize: number })[] = [
  { batchSize: 1_000 },
  { batchSize: 1 },
  { batchSize: 3, pageSize: 1, mostAtOnce: 0, killEvery: 3 },
];

/**
 * Returns the oracle's decisions about logs. After each test of the file, or of the `describe` block, the tables must match them
 * for each log, however the log is cut, and whatever decisions are deferred.
 */
export function useOracleAndTables(): (events: readonly RecordedEvent[]) => Decided {
  const dataSource = useDatabase();
  const asked: { readonly events: readonly RecordedEvent[]; readonly decided: Decided }[] = [];
  afterEach(async () => {
    for (const { events, decided } of asked.splice(0)) {
      for (const way of WAYS) {
        const record = new ProjectedRecord(dataSource, way);
        await record.begin();
        expect(await record.apply(events, way.batchSize)).toEqual(events);
        await record.workOff();
        const held = await readHeld(dataSource, events.at(-1)?.position ?? 0n);
        expect({ way, found: differencesOf(held, decided) }).toEqual({ way, found: [] });
      }
    }
  });
  return (events) => {
    const decided = decideLog(events);
    asked.push({ events: [...events], decided });
    return decided;
  };
}
