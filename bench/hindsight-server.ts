/** A process of the benches that query a service: the role `api` on an existing database. */
import { startReader } from './support/reader-service.js';
import { readOptions, serveParent } from './support/child.js';

const { databaseUrl } = readOptions() as { databaseUrl: string };
const { url } = await startReader(databaseUrl);
serveParent(url);
