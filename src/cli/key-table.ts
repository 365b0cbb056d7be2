import type { ListedKey } from '../api/keys/stored-keys.js';
import { isoOf, toJsonText } from './json.js';
import { toSecond } from './moments.js';
import { printTable, type Column } from '../platform/table.js';

const COLUMNS: readonly Column<ListedKey>[] = [
  { title: 'NAME', read: ({ name }) => name },
  { title: 'SCOPE', read: ({ scope }) => scope },
  { title: 'CREATED', read: ({ createdAt }) => toSecond(createdAt) },
  { title: 'LAST USED', read: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : toSecond(lastUsedAt)) },
  { title: 'REVOKED', read: ({ revokedAt }) => (revokedAt === null ? '' : toSecond(revokedAt)) },
];

interface KeyList {
  readonly total: number;
  readonly keys: readonly ListedKey[];
}

export function keysToJson({ total, keys }: KeyList): string {
  const listed = keys.map(({ createdAt, lastUsedAt, revokedAt, ...key }) => ({
    ...key,
    createdAt: isoOf(createdAt),
    lastUsedAt: isoOf(lastUsedAt),
    revokedAt: isoOf(revokedAt),
  }));
  return toJsonText({ total, keys: listed });
}

export function printKeys({ total, keys }: KeyList): string {
  if (total === 0) {
    return 'There are no keys yet. Make one: hindsight keys add NAME --scope read\n(HINDSIGHT_API_KEY and apiKeys of the settings are not listed here.)\n';
  }
  const rest = total > keys.length ? `and ${total - keys.length} more that were revoked earlier\n` : '';
  return printTable(COLUMNS, keys) + rest;
}
