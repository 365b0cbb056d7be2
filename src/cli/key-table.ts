import type { ListedKey } from '../api/keys/stored-keys.js';
import { toSecond } from './moments.js';
import { printTable, type Column } from './table.js';

const COLUMNS: readonly Column<ListedKey>[] = [
  { title: 'NAME', read: ({ name }) => name },
  { title: 'SCOPE', read: ({ scope }) => scope },
  { title: 'CREATED', read: ({ createdAt }) => toSecond(createdAt) },
  { title: 'LAST USED', read: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : toSecond(lastUsedAt)) },
  { title: 'REVOKED', read: ({ revokedAt }) => (revokedAt === null ? '' : toSecond(revokedAt)) },
];

export function printKeys({
  total,
  keys,
}: {
  readonly total: number;
  readonly keys: readonly ListedKey[];
}): string {
  if (total === 0) {
    return 'There are no keys yet. Make one: hindsight keys add NAME --scope read\n(HINDSIGHT_API_KEY and apiKeys of the settings are not listed here.)\n';
  }
  const rest = total > keys.length ? `and ${total - keys.length} more that were revoked earlier\n` : '';
  return printTable(COLUMNS, keys) + rest;
}
