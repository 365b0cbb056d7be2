import { UserError } from '../platform/errors.js';
import type { Settings } from './settings.js';
import { isLoopback } from './values.js';

/** Whether others can reach a server of these settings, and no key of these settings keeps them out: one has to be in its database. */
export function needsStoredKey({ host, apiKeys }: Pick<Settings, 'host' | 'apiKeys'>): boolean {
  return !isLoopback(host) && apiKeys.length === 0;
}

/**
 * Why a service is not started that anybody could ask.
 * @param hasDatabase whether there is a migrated one, to which a key can be added
 */
export function noKey({ hasDatabase }: { readonly hasDatabase: boolean }): UserError {
  const first = hasDatabase ? '' : 'hindsight migrate, and then ';
  return new UserError(
    'Wrong settings: host is not a loopback address, so an API key is required, and there is none.',
    `Make one (${first}hindsight keys add NAME --scope read), or set HINDSIGHT_API_KEY.`,
    2,
  );
}
