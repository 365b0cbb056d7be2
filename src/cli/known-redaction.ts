import { Redaction } from '../domain/redaction.js';
import type { QuerySource } from '../platform/sql.js';
import { readKnownNames } from '../statistics/read/known-names.query.js';

/** A redaction that knows every node and chain, and the hosts of the nodes. */
export async function readRedaction(source: QuerySource, people: readonly string[]): Promise<Redaction> {
  return new Redaction({ ...(await readKnownNames(source)), host: await readHosts(source), person: people });
}

/** Hosts of the addresses in the settings of nodes, past ones too. */
export async function readHosts(source: QuerySource): Promise<string[]> {
  const rows = await source.query<{ url: string }[]>(
    `SELECT url FROM node UNION SELECT status_url FROM node WHERE status_url IS NOT NULL ORDER BY url`,
  );
  return rows.flatMap(({ url }) => (URL.canParse(url) ? new URL(url).hostname : []));
}
