import { UserError } from '../platform/errors.js';
import type { Settings } from './settings.js';
import { isLoopback } from './values.js';

/** Whether other hosts can reach a server with these settings and the settings have no key: its database must have one. */
export function needsStoredKey({ host, apiKeys }: Pick<Settings, 'host' | 'apiKeys'>): boolean {
  return !isLoopback(host) && apiKeys.length === 0;
}

/**
 * The error for a service that anybody could query.
 * @param hasDatabase whether there is a migrated database to which a key can be added
 */
export function noKey({ hasDatabase }: { readonly hasDatabase: boolean }): UserError {
  const first = hasDatabase ? '' : 'hindsight migrate, and then ';
  return new UserError(
    'Wrong settings: host is not a loopback address, so an API key is required, and there is none.',
    `Make one (${first}hindsight keys add NAME --scope read), or set HINDSIGHT_API_KEY.`,
    2,
  );
}
