import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { PYTHON } from './programs.js';

const run = promisify(execFile);

/** The address of the service in the pages. */
const PAGES_SERVICE = 'http://127.0.0.1:4400';

/** The place in which blocks of a page are run. */
export interface PagePlace {
  /** The working folder. */
  readonly folder: string;
  /** The service that replaces the one of the pages. */
  readonly url: string;
}

/** Runs a `sh` block; rejects when a command fails. Returns the output. */
export async function runShell(text: string, { folder, url }: PagePlace): Promise<string> {
  const script = text.replaceAll(PAGES_SERVICE, url);
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder });
  return stdout;
}

/** Runs a `python` block; rejects when it ends with an error. Returns the output. */
export async function runPython(text: string, { folder, url }: PagePlace): Promise<string> {
  const { stdout } = await run(PYTHON, ['-c', text.replaceAll(PAGES_SERVICE, url)], { cwd: folder });
  return stdout;
}

/** Runs an `sql` block in DuckDB. Returns the rows, each a list of cells as DuckDB prints them; null for null. */
export async function runDuckDb(
  text: string,
  { folder }: Pick<PagePlace, 'folder'>,
): Promise<(string | null)[][]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run(`SET file_search_path = '${folder}'`);
    await connection.run("SET TimeZone = 'UTC'");
    const answer = await connection.runAndReadAll(text);
    return answer.getRows().map((row) => row.map((cell) => (cell === null ? null : cell.toString())));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
