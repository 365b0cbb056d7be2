import * as health from './health.entities.js';
import * as keys from './keys.entities.js';
import * as log from './log.entities.js';
import * as prices from './prices.entities.js';
import * as projections from './projections.entities.js';
import * as record from './record.entities.js';
import * as statistics from './statistics.entities.js';

type EntityClass = new () => object;

/** All tables except those in which migrations record themselves. */
export const ALL_TABLES: EntityClass[] = [health, keys, log, prices, projections, record, statistics]
  .flatMap((stage): unknown[] => Object.values(stage))
  .filter((each): each is EntityClass => typeof each === 'function');
