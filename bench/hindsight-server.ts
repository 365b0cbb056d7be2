/** A process of the benches that ask a service: the role `api` on a database that is there. */
import { startReader } from './support/reader-service.js';
import { readOptions, serveParent } from './support/child.js';

const { databaseUrl } = readOptions() as { databaseUrl: string };
const { url } = await startReader(databaseUrl);
serveParent(url);
