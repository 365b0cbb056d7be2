import { UserError } from '../../platform/errors.js';
import { takeLock } from '../../platform/locks.js';
import { selectList } from '../../platform/rows/row-columns.js';
import {
  type Database,
  inTransaction,
  onConnection,
  type Query,
  type QuerySource,
} from '../../platform/sql.js';
import { ApiKeyEntity } from '../../tables/keys.entities.js';
import type { KeyScope } from './key-text.js';

/** The most keys that are not revoked: each request is compared with all of them. */
const MOST_LIVING = 1_000;

/** The most keys in a listing, those not revoked first. */
const MOST_LISTED = 10_000;

/** "hkey" in ASCII, as the second half of an advisory lock: keys are added one at a time. */
const KEYS_LOCK = String(0x686b6579);
const LOCK_WAIT_MS = 5_000;

/** A key that is not revoked, as services load it. */
export interface LivingKey {
  readonly id: string;
  readonly name: string;
  readonly scope: KeyScope;
  readonly hash: Buffer;
}

/** A key as shown to people, without its hash. */
export type ListedKey = Omit<ApiKeyEntity, 'apiKeyId' | 'hash'>;

/** A use of a key to store. */
export interface KeyUse {
  readonly id: string;
  readonly agoMs: number;
}

/**
 * Adds a key.
 * @throws UserError when a key with this name exists that is not revoked, there are too many, or others keep adding keys
 */
export async function addKey(
  dataSource: Database,
  { name, scope, hash }: Omit<LivingKey, 'id'>,
): Promise<void> {
  await inTransaction(dataSource, async (query) => {
    await takeLock(query, KEYS_LOCK, { of: 'the list of keys', waitMs: LOCK_WAIT_MS });
    const [living] = await query<{ count: number; isTaken: boolean | null }>(
      `SELECT count(*)::int AS count, bool_or(name = $1) AS "isTaken" FROM api_key WHERE revoked_at IS NULL`,
      [name],
    );
    if (living?.isTaken) {
      throw new UserError(
        `There is already a key called ${name}.`,
        `Choose another name, or revoke it first: hindsight keys revoke ${name}`,
      );
    }
    if (living && living.count >= MOST_LIVING) {
      throw new UserError(`There are ${living.count} active keys, which is the limit.`, 'Revoke some first.');
    }
    await query('INSERT INTO api_key (name, scope, hash) VALUES ($1, $2, $3)', [name, scope, hash]);
  });
}

/** Revokes a key. False: no valid key has the name. */
export async function revokeKey(dataSource: Database, name: string): Promise<boolean> {
  const revoked = await onConnection(dataSource, (query) =>
    query('UPDATE api_key SET revoked_at = now() WHERE name = $1 AND revoked_at IS NULL RETURNING name', [
      name,
    ]),
  );
  return revoked.length > 0;
}

/** The keys that are not revoked by name, then the revoked ones, last revoked first; and the total number. */
export async function listKeys(dataSource: Database): Promise<{ total: number; keys: ListedKey[] }> {
  const [count] = await dataSource.query<{ total: number }[]>('SELECT count(*)::int AS total FROM api_key');
  const keys = await dataSource.query<ListedKey[]>(
    `SELECT ${selectList(ApiKeyEntity, 'k', ['name', 'scope', 'createdAt', 'lastUsedAt', 'revokedAt'])}
       FROM api_key k ORDER BY revoked_at DESC NULLS FIRST, name LIMIT ${MOST_LISTED}`,
  );
  return { total: count?.total ?? 0, keys };
}

export async function loadLivingKeys(dataSource: Database): Promise<LivingKey[]> {
  const keys = await dataSource.query<ApiKeyEntity[]>(
    `SELECT ${selectList(ApiKeyEntity, 'k')} FROM api_key k WHERE revoked_at IS NULL ORDER BY api_key_id`,
  );
  return keys.map(({ apiKeyId, name, scope, hash }) => ({
    id: String(apiKeyId),
    name,
    scope: scope as KeyScope,
    hash: Buffer.from(hash, 'hex'),
  }));
}

export async function hasLivingKey(dataSource: Database): Promise<boolean> {
  const living = await dataSource.query<unknown[]>('SELECT 1 FROM api_key WHERE revoked_at IS NULL LIMIT 1');
  return living.length > 0;
}

/** Stores when keys were last used, except where another process did so within the last 50 s. */
export async function noteKeyUses(dataSource: Database, uses: readonly KeyUse[]): Promise<void> {
  await dataSource.query(
    `UPDATE api_key k SET last_used_at = now() - make_interval(secs => u.ago_ms / 1000.0)
       FROM unnest($1::bigint[], $2::float8[]) AS u (id, ago_ms)
      WHERE k.api_key_id = u.id AND (k.last_used_at IS NULL OR k.last_used_at < now() - interval '50 s')`,
    [uses.map(({ id }) => id), uses.map(({ agoMs }) => agoMs)],
  );
}

/** All keys as a backup has them: rows of the table as JSON, without their numbers. */
export async function dumpKeys(dataSource: QuerySource): Promise<unknown[]> {
  const [row] = await dataSource.query<{ keys: unknown[] | null }[]>(
    "SELECT json_agg(to_jsonb(k) - 'api_key_id' ORDER BY api_key_id) AS keys FROM api_key k",
  );
  return row?.keys ?? [];
}

/** Adds the keys of a backup, except those whose name or hash exists. @returns how many were added */
export async function restoreKeys(query: Query, keys: readonly unknown[]): Promise<number> {
  const added = await query(
    `INSERT INTO api_key (name, scope, hash, created_at, last_used_at, revoked_at)
     SELECT name, scope, hash, created_at, last_used_at, revoked_at
       FROM json_populate_recordset(NULL::api_key, $1)
     ON CONFLICT DO NOTHING RETURNING name`,
    [JSON.stringify(keys)],
  );
  return added.length;
}
