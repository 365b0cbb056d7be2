import type { ListedKey } from '../api/keys/stored-keys.js';
import { formatTime, type Micros, microsToNanos } from '../domain/time.js';
import { alignColumns } from './align-columns.js';

const HEAD = ['NAME', 'SCOPE', 'CREATED', 'LAST USED', 'REVOKED'];

/** Keys as a table for people. */
export function printKeys({
  total,
  keys,
}: {
  readonly total: number;
  readonly keys: readonly ListedKey[];
}): string {
  if (total === 0) {
    return 'No key was made yet: hindsight keys add NAME --scope read\n(HINDSIGHT_API_KEY and apiKeys of the settings are not listed here.)\n';
  }
  const rows = keys.map(({ name, scope, createdAt, lastUsedAt, revokedAt }) => [
    name,
    scope,
    toTime(createdAt),
    lastUsedAt === null ? 'never' : toTime(lastUsedAt),
    revokedAt === null ? '' : toTime(revokedAt),
  ]);
  const rest = total > keys.length ? `and ${total - keys.length} more that were revoked before\n` : '';
  return `${alignColumns([HEAD, ...rows]).join('\n')}\n${rest}`;
}

function toTime(at: Micros): string {
  return formatTime(microsToNanos(at), 0);
}
