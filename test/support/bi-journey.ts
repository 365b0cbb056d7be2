import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { textsOf } from './page-blocks.js';
import { type PagePlace, runDuckDb, runPython, runShell } from './page-commands.js';
import { hasProgram, hasPython } from './programs.js';

const PAGE = 'docs/journey-bi.md';

/** Runs the steps of the page as its reader would, and the program of BI tools, with each available program. */
export async function walkBiJourney(place: PagePlace): Promise<void> {
  const [download = ''] = textsOf(PAGE, 'sh');
  const [query = ''] = textsOf(PAGE, 'sql');
  const [byPandas = '', byPython = ''] = textsOf(PAGE, 'python');
  const shown = tableOf(textsOf(PAGE, 'csv')[0] ?? '').slice(1);
  if (!hasProgram('curl')) return;
  await runShell(download, place);
  checkSpreadsheet(place.folder);
  expect((await runDuckDb(query, place)).map((row) => row.map(toCell))).toEqual(shown);
  for (const [program, isThere] of [
    [byPandas, hasPython('pandas')],
    [byPython, hasProgram('python3')],
  ] as const)
    if (isThere) expect(tableOf(await runPython(program, place)).slice(1)).toEqual(shown);
  for (const program of hasPython('gql') ? textsOf('docs/bi-tools.md', 'python') : [])
    expect((await runPython(program, place)).split('\n').length).toBeGreaterThan(2_000);
}

/** Adds up the table as a spreadsheet would, by the columns that the page names. */
function checkSpreadsheet(folder: string): void {
  const [header = [], ...rows] = parse(readFileSync(join(folder, 'costs.csv')));
  expect(rows.length).toBeGreaterThan(365);
  const column = (letter: string): number => letter.charCodeAt(0) - 'A'.charCodeAt(0);
  expect([header[column('D')], header[column('N')], header[column('O')]]).toEqual([
    'namespace',
    'fee_min_utia',
    'fee_max_utia',
  ]);
  const [sumOf = '', countOf = ''] = textsOf(PAGE, 'text');
  const [, key = '', namespace = '', summed = ''] = /SUMIF\((\w):\w, "(\w+)", (\w):\w\)/.exec(sumOf) ?? [];
  const chosen = rows.filter((row) => row[column(key)] === namespace);
  const utia = chosen.reduce((total, row) => total + Number(row[column(summed)]), 0);
  const [, empty = ''] = /, (\w):\w, ""\)/.exec(countOf) ?? [];
  const unknown = chosen.filter((row) => row[column(empty)] === '').length;
  const page = readFileSync(PAGE, 'utf8');
  expect(page).toContain(`gives ${utia / 1e6}.`);
  expect(page).toContain(`gives ${unknown}:`);
}

function tableOf(text: string): (string | number | null)[][] {
  return parse(text.trim()).map((row) => row.map(toCell));
}

/** A cell rounded to a millionth, because programs print numbers differently. */
function toCell(text: string | null): string | number | null {
  if (text === null || text === '') return null;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(Number(text).toFixed(6)) : text;
}
