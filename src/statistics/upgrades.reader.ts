import type { Query } from '../platform/sql.js';
import {
  findOtherExclusions,
  namesOf,
  type ReadModelSet,
  findOtherVersions,
} from '../projections/rebuild/read-model-set.js';
import { schemaOf } from '../projections/rebuild/rebuild-schema.js';
import { READ_MODEL_SETS } from './read-model-sets.js';

/** Read models that must be made again, or that a newer release made, and what answers from them are worth. */
export interface Upgrade {
  readonly readModels: readonly string[];
  /** The read models whose own rules differ; the others are rebuilt with them. */
  readonly differing: readonly string[];
  /**
   * `older`: a worker rebuilds them, and they are not updated until then. `newer`: this process leaves them alone. `other-nodes`: a
   * node was excluded or included since, so a worker rebuilds them; they are updated as before until then.
   */
  readonly made: 'older' | 'newer' | 'other-nodes';
  /** Log position of the answers until then: that of the read model furthest behind. */
  readonly asOf: bigint;
  /** Share of the replay that is done, 0 to 1; undefined if no rebuild has begun. */
  readonly share?: number;
  /** Why a worker could not rebuild them when it last tried. */
  readonly failure?: string;
}

/** Finds read models of other releases or nodes, and how far their rebuilds are. */
export async function readUpgrades(query: Query): Promise<Upgrade[]> {
  const upgrades: Upgrade[] = [];
  const excluding = await findOtherExclusions(query);
  for (const set of READ_MODEL_SETS) {
    const others = await findOtherVersions(query, set);
    const isExcluding = set.createProjections().some(({ name }) => excluding.has(name));
    if (others.length === 0 && !isExcluding) continue;
    const made =
      others.length === 0
        ? 'other-nodes'
        : others.some(({ stored, ours }) => stored > ours)
          ? 'newer'
          : 'older';
    const share = made === 'newer' ? undefined : await readShare(query, set);
    upgrades.push({
      readModels: namesOf(set),
      differing: others.map(({ name }) => name),
      made,
      asOf: await readPosition(query, '', set),
      ...(share !== undefined && { share }),
      ...(await readFailure(query, set)),
    });
  }
  return upgrades;
}

/** Explains in a sentence what an upgrade means for clients. */
export function describeUpgrade({ readModels, made, asOf, share, failure }: Upgrade): string {
  const names = readModels.join(', ');
  if (made === 'newer') {
    return `A newer release made ${names}; this process reads them but does not write them.`;
  }
  const state = share === undefined ? 'wait for a worker' : `are ${Math.floor(share * 100)} % replayed`;
  const failed = failure === undefined ? '' : ` The last try failed: ${failure}`;
  if (made === 'other-nodes') {
    return `A node was excluded or included; the new read models (${names}) ${state}. Until they are in use, answers are as before.${failed}`;
  }
  return `An older release made ${names}; the new ones ${state}. Until they are in use, answers are as of position ${asOf}.${failed}`;
}

async function readFailure(query: Query, { name }: ReadModelSet): Promise<Pick<Upgrade, 'failure'>> {
  const [row] = await query<{ error: string }>('SELECT error FROM rebuild_failure WHERE name = $1', [name]);
  return row ? { failure: row.error } : {};
}

async function readShare(query: Query, set: ReadModelSet): Promise<number | undefined> {
  const schema = schemaOf(set);
  const [found] = await query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    `"${schema}".projection_checkpoint`,
  ]);
  if (!found?.exists) return undefined;
  const [head] = await query<{ position: bigint }>('SELECT position FROM log_head');
  const end = Number(head?.position ?? 0);
  return end === 0 ? 1 : Number(await readPosition(query, `"${schema}".`, set)) / end;
}

/** @param prefix of the table: a schema with its dot, or nothing for the live one */
async function readPosition(query: Query, prefix: string, set: ReadModelSet): Promise<bigint> {
  const names = set.createProjections().map(({ name }) => name);
  const [row] = await query<{ position: bigint }>(
    `SELECT CASE WHEN count(*) = $2 THEN min(position) ELSE 0 END AS position
       FROM ${prefix}projection_checkpoint WHERE name = ANY ($1)`,
    [names, names.length],
  );
  return row?.position ?? 0n;
}
