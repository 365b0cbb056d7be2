import type { Database } from '../platform/sql.js';
import { PROJECTION_FACTORIES } from '../projections/all-projections.js';
import { namesOf, type DerivedTables, type ReadModelSet } from '../projections/rebuild/read-model-set.js';
import { RollUp } from './roll-up/roll-up.js';
import { readRulesVersion, ROLL_UP_VERSION } from './roll-up/generation.js';

const STATISTICS: DerivedTables = {
  name: 'statistics',
  version: ROLL_UP_VERSION,
  tables: ['statistic', 'block_statistic', 'statistic_state', 'roll_up_mark', 'roll_up_fault'],
  readVersion: readRulesVersion,
  settle: rollUpAll,
};

/** Statistics are computed from the record and the prices. */
const RECORD_SET = ['record', 'prices'];

/** All read models, in the sets in which they are rebuilt. A new one that nothing depends on is a set of its own. */
export const READ_MODEL_SETS: readonly ReadModelSet[] = [
  { name: 'record', createProjections: () => RECORD_SET.map(create), derived: STATISTICS },
  ...Object.keys(PROJECTION_FACTORIES)
    .filter((name) => !RECORD_SET.includes(name))
    .map((name) => ({ name, createProjections: () => [create(name)] })),
];

/** The set that goes by a name, or that a read model of that name is part of. */
export function findReadModelSet(name: string): ReadModelSet | undefined {
  return READ_MODEL_SETS.find((set) => namesOf(set).includes(name));
}

/** Every name that {@link findReadModelSet} knows. */
export function readModelNames(): string[] {
  return READ_MODEL_SETS.flatMap(namesOf);
}

function create(name: string) {
  const make = PROJECTION_FACTORIES[name];
  if (!make) throw new Error(`there is no projection ${name}`);
  return make();
}

async function rollUpAll(dataSource: Database, rest: () => Promise<void>): Promise<void> {
  const rollUp = new RollUp(dataSource);
  while (await rollUp.hasMarks()) {
    await rollUp.run(() => false);
    await rest();
  }
}
