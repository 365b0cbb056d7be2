import { type DataSource, IsNull } from 'typeorm';
import { UserError } from '../../platform/errors.js';
import { takeLock } from '../../platform/locks.js';
import type { Query } from '../../platform/sql.js';
import { ApiKeyEntity } from '../../tables/keys/api-key.entity.js';
import type { KeyScope } from './key-text.js';

/** Living keys at most: each request is compared with all of them. */
const MOST_LIVING = 1_000;

/** Keys that are listed, the living ones first. */
const MOST_LISTED = 10_000;

/** "hkey" in ASCII, as the second half of a lock of ours: keys are added one at a time. */
const KEYS_LOCK = String(0x686b6579);
const LOCK_WAIT_MS = 5_000;

/** A key as it is known to a service. */
export interface LivingKey {
  readonly id: string;
  readonly name: string;
  readonly scope: KeyScope;
  readonly hash: Buffer;
}

/** A key as it is shown to people; never its hash. */
export type ListedKey = Omit<ApiKeyEntity, 'apiKeyId' | 'hash'>;

/** A use of a key that is to be noted, so many milliseconds ago. */
export interface KeyUse {
  readonly id: string;
  readonly agoMs: number;
}

const LIVING = { revokedAt: IsNull() };

/**
 * Adds a key.
 * @throws UserError when a living key bears the name, there are too many, or somebody else keeps adding one
 */
export async function addKey(
  dataSource: DataSource,
  { name, scope, hash }: Omit<LivingKey, 'id'>,
): Promise<void> {
  await dataSource.transaction(async (transaction) => {
    const query: Query = (sql, parameters = []) => transaction.query(sql, [...parameters]);
    await takeLock(query, KEYS_LOCK, { of: 'the list of keys', waitMs: LOCK_WAIT_MS });
    if (await transaction.existsBy(ApiKeyEntity, { ...LIVING, name })) {
      throw new UserError(
        `There is a key called ${name} already.`,
        `Choose another name, or revoke it first: hindsight keys revoke ${name}`,
      );
    }
    const living = await transaction.countBy(ApiKeyEntity, LIVING);
    if (living >= MOST_LIVING) {
      throw new UserError(`There are ${living} living keys, and that is the limit.`, 'Revoke some first.');
    }
    await transaction.insert(ApiKeyEntity, { name, scope, hash: hash.toString('hex') });
  });
}

/** Ends a key. False: no living one bears the name. */
export async function revokeKey(dataSource: DataSource, name: string): Promise<boolean> {
  const keys = dataSource.getRepository(ApiKeyEntity);
  const { affected } = await keys.update({ ...LIVING, name }, { revokedAt: () => 'now()' });
  return affected !== 0;
}

/** Keys by name, the living ones first and then the revoked, the latest first; and how many there are. */
export async function listKeys(dataSource: DataSource): Promise<{ total: number; keys: ListedKey[] }> {
  const [keys, total] = await dataSource.getRepository(ApiKeyEntity).findAndCount({
    select: { name: true, scope: true, createdAt: true, lastUsedAt: true, revokedAt: true },
    order: { revokedAt: { direction: 'DESC', nulls: 'FIRST' }, name: 'ASC' },
    take: MOST_LISTED,
  });
  return { total, keys };
}

/** The keys that are good at the moment. */
export async function loadLivingKeys(dataSource: DataSource): Promise<LivingKey[]> {
  const keys = await dataSource
    .getRepository(ApiKeyEntity)
    .find({ where: LIVING, order: { apiKeyId: 'ASC' } });
  return keys.map(({ apiKeyId, name, scope, hash }) => ({
    id: String(apiKeyId),
    name,
    scope: scope as KeyScope,
    hash: Buffer.from(hash, 'hex'),
  }));
}

/** Whether any key is good at the moment. */
export function hasLivingKey(dataSource: DataSource): Promise<boolean> {
  return dataSource.getRepository(ApiKeyEntity).existsBy(LIVING);
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
