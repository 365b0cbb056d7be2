import { once } from 'node:events';
import { createServer } from 'node:net';
import { codeOf, messageOf, UserError } from '../platform/errors.js';
import type { Settings } from '../settings/settings.js';

type Address = Pick<Settings, 'host' | 'port'>;

/**
 * Listens for a moment, to fail before anything is created for a service that could not answer.
 * @throws UserError if the port is in use or not permitted
 */
export async function requirePort(address: Address): Promise<void> {
  const server = createServer();
  try {
    const { host, port } = address;
    await once(server.listen({ host, port }), 'listening');
  } catch (error) {
    throw explainListening(error, address);
  }
  server.close();
  await once(server, 'close');
}

/** Turns an error of a server that cannot listen into one that says what to do; returns any other error unchanged. */
export function explainListening(error: unknown, { host, port }: Address): unknown {
  if (!['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND'].includes(codeOf(error) ?? '')) return error;
  return new UserError(
    `Cannot listen on ${host} port ${port}: ${messageOf(error)}`,
    'Choose another --port (0 takes a free one) or --host.',
    1,
    { cause: error },
  );
}
