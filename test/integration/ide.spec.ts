import { readFileSync } from 'node:fs';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { getIntrospectionQuery, parse, validate } from 'graphql';
import { startBrowser } from '../support/browser.js';
import { textsOf } from '../support/page-blocks.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { useApi } from '../support/use-database.js';

describe('the GraphQL page', () => {
  const api = useApi();

  it('has every query of docs/graphql.md ready, and the schema accepts each of them', async () => {
    const examples = JSON.parse(readFileSync('src/dashboard/ide/examples.json', 'utf8')) as {
      query: string;
    }[];
    const { schema } = api.app.get(GraphQLSchemaHost);
    for (const { query } of examples) expect([query, validate(schema, parse(query))]).toEqual([query, []]);
    const asked = textsOf('docs/graphql.md', 'graphql');
    expect(asked.length).toBeGreaterThan(6);
    expect(examples.map(({ query }) => query)).toEqual(expect.arrayContaining(asked));
  });

  itHasProgram('chromium');
  (hasProgram('chromium') ? it : it.skip)(
    'opens with the question of a link, and does not ask it by itself',
    async () => {
      const browser = await startBrowser();
      try {
        const page = await browser.newPage();
        const asked: string[] = [];
        page.on('request', (request) => {
          if (request.url().endsWith('/graphql')) asked.push(request.postData() ?? '');
        });
        for (const round of [1, 2]) {
          await page.goto(
            `${api.url}/ide?query=${encodeURIComponent(`{ chain(id: "lab-${round}") { id } }`)}`,
          );
          const editor = page.locator('.query');
          await editor.getByText(`lab-${round}`).first().waitFor({ timeout: 15_000 });
        }
        expect(asked.filter((body) => body.includes('lab-'))).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );

  (hasProgram('chromium') ? it : it.skip)('completes, checks, explains and runs a query', async () => {
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(`${api.url}/ide?query=${encodeURIComponent('query One { now }\nquery Two { }')}`);
      await page.getByRole('heading', { name: 'Query' }).waitFor();
      const editor = page.getByLabel('Query', { exact: true });
      await editor.click();
      await page.keyboard.press('Control+End');
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.type(' healthHis');
      await page.locator('.cm-completionLabel', { hasText: 'healthHistory' }).waitFor();
      await page.keyboard.press('Escape');
      for (let typed = 0; typed < 'healthHis'.length; typed += 1) await page.keyboard.press('Backspace');
      await page.keyboard.type('nosuch');
      await page.locator('.cm-lintRange-error').first().waitFor();
      for (let typed = 0; typed < 'nosuch'.length; typed += 1) await page.keyboard.press('Backspace');
      await page.keyboard.type('chains { id } ');
      await page.keyboard.press('Control+Enter');
      await page.locator('.answer .cm-content', { hasText: '"chains"' }).waitFor();
      expect(await page.getByRole('status').textContent()).toMatch(/^HTTP 200 · \d+ ms · cost \d+$/);
      await page.getByLabel('Search the schema').fill('runway');
      await page.getByRole('button', { name: 'Runway', exact: true }).first().click();
      await page.getByRole('heading', { name: 'Runway' }).waitFor();
      await page.getByRole('button', { name: 'Query', exact: true }).click();
      await page.getByRole('definition').getByText('How much time a row covers.').first().waitFor();
      // A query of a link is no draft.
      expect(await page.evaluate("localStorage.getItem('hindsight-query')")).toBeNull();
      await page.goto(`${api.url}/ide`);
      await editor.click();
      await page.keyboard.type('# mine');
      await page.reload();
      await editor.getByText('# mine').waitFor();
    } finally {
      await browser.close();
    }
  });

  it('can ask for the whole schema, with all its descriptions', async () => {
    const query = getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true });
    expect(await api.codesOf(query)).toEqual([]);
  });
});
