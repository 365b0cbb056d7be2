import type { DataSource } from 'typeorm';
import { UserError } from '../../platform/errors.js';
import { inTransaction, onConnection } from '../../platform/sql.js';
import type { KeyScope } from './key-text.js';

/** Living keys at most: each request is compared with all of them. */
const MOST_LIVING = 1_000;

/** Keys that are listed, the living ones first. */
const MOST_LISTED = 10_000;

/** "hkey" in ASCII, as the second half of a lock of ours: keys are added one at a time. */
const KEYS_LOCK = 0x686b6579;

/** A key as it is known to a service. */
export interface LivingKey {
  readonly id: string;
  readonly name: string;
  readonly scope: KeyScope;
  readonly hash: Buffer;
}

/** A key as it is shown to people. */
export interface ListedKey {
  readonly name: string;
  readonly scope: KeyScope;
  readonly createdAt: Date;
  /** Null: never. */
  readonly lastUsedAt: Date | null;
  /** Null: it lives. */
  readonly revokedAt: Date | null;
}

/** A use of a key that is to be noted, so many milliseconds ago. */
export interface KeyUse {
  readonly id: string;
  readonly agoMs: number;
}

/**
 * Adds a key.
 * @throws UserError when a living key bears the name, or there are too many
 */
export async function addKey(dataSource: DataSource, key: Omit<LivingKey, 'id'>): Promise<void> {
  await inTransaction(dataSource, async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [KEYS_LOCK]);
    const [living] = await query<{ all: number; same: number }>(
      `SELECT count(*)::int AS all, (count(*) FILTER (WHERE name = $1))::int AS same
         FROM api_key WHERE revoked_at IS NULL`,
      [key.name],
    );
    if (living && living.same > 0) {
      throw new UserError(
        `There is a key called ${key.name} already.`,
        `Choose another name, or revoke it first: hindsight keys revoke ${key.name}`,
      );
    }
    if (living && living.all >= MOST_LIVING) {
      throw new UserError(
        `There are ${living.all} living keys, and that is the limit.`,
        'Revoke some first.',
      );
    }
    await query('INSERT INTO api_key (name, scope, hash) VALUES ($1, $2, $3)', [
      key.name,
      key.scope,
      key.hash,
    ]);
  });
}

/** Ends a key. False: no living one bears the name. */
export async function revokeKey(dataSource: DataSource, name: string): Promise<boolean> {
  const rows = await onConnection(dataSource, (query) =>
    query(
      'UPDATE api_key SET revoked_at = now() WHERE name = $1 AND revoked_at IS NULL RETURNING api_key_id',
      [name],
    ),
  );
  return rows.length > 0;
}

/** Keys by name, the living ones first and then the revoked, the latest first; and how many there are. */
export async function listKeys(dataSource: DataSource): Promise<{ total: number; keys: ListedKey[] }> {
  const rows = await dataSource.query<(ListedKey & { total: number })[]>(
    `SELECT name, scope, created_at AS "createdAt", last_used_at AS "lastUsedAt", revoked_at AS "revokedAt",
            (count(*) OVER ())::int AS total
       FROM api_key ORDER BY revoked_at IS NOT NULL, revoked_at DESC, name LIMIT ${MOST_LISTED}`,
  );
  return { total: rows[0]?.total ?? 0, keys: rows };
}

/** The keys that are good at the moment. */
export function loadLivingKeys(dataSource: DataSource): Promise<LivingKey[]> {
  return dataSource.query<LivingKey[]>(
    'SELECT api_key_id AS id, name, scope, hash FROM api_key WHERE revoked_at IS NULL ORDER BY api_key_id',
  );
}

/** Whether any key is good at the moment. */
export async function hasLivingKey(dataSource: DataSource): Promise<boolean> {
  const rows = await dataSource.query<unknown[]>('SELECT FROM api_key WHERE revoked_at IS NULL LIMIT 1');
  return rows.length > 0;
}

/** Writes down when keys were last used, but for those of which another process has just written it. */
export async function noteKeyUses(dataSource: DataSource, uses: readonly KeyUse[]): Promise<void> {
  await dataSource.query(
    `UPDATE api_key k SET last_used_at = now() - make_interval(secs => u.ago_ms / 1000.0)
       FROM unnest($1::bigint[], $2::float8[]) AS u (id, ago_ms)
      WHERE k.api_key_id = u.id AND (k.last_used_at IS NULL OR k.last_used_at < now() - interval '50 s')`,
    [uses.map(({ id }) => id), uses.map(({ agoMs }) => agoMs)],
  );
}
