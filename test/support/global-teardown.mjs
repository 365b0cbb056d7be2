import { removeTestFolder } from './test-folder.mjs';

/** Stops the database server of this run, if any spec needed it. */
export default async function tearDown() {
  if (process.env.HINDSIGHT_TEST_FOLDER) await removeTestFolder(process.env.HINDSIGHT_TEST_FOLDER);
}
