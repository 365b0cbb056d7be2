import type { Query } from '../../../platform/sql.js';

const PAGE_ROWS = 5_000;

/**
 * All rows are needed, and compiling a plan takes longer than most of these statements run. The planner cannot know how many
 * rows a bucket has, and would sort where hashing is faster.
 */
const PLANNING = `SELECT set_config('cursor_tuple_fraction', '1', true), set_config('jit', 'off', true),
  set_config('enable_sort', 'off', true)`;

/**
 * Passes on the rows of a statement one by one and fetches them page by page, so that at most one page is in memory, however
 * many rows there are.
 *
 * @param query of one connection inside a transaction
 * @param afterPage awaited before the next page is fetched
 */
export async function readPages(
  query: Query,
  statement: { readonly sql: string; readonly parameters: readonly unknown[] },
  onRow: (row: unknown) => void,
  pageRows = PAGE_ROWS,
  afterPage: () => Promise<void> | undefined = () => undefined,
): Promise<void> {
  await query(PLANNING);
  await query(`DECLARE statistic_rows NO SCROLL CURSOR FOR ${statement.sql}`, statement.parameters);
  for (;;) {
    const rows = await query(`FETCH ${pageRows} FROM statistic_rows`);
    rows.forEach(onRow);
    await afterPage();
    if (rows.length < pageRows) break;
  }
  await query('CLOSE statistic_rows');
}
