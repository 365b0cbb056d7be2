import { GraphQLSchemaHost } from '@nestjs/graphql';
import { getIntrospectionQuery, parse, validate } from 'graphql';
import { startBrowser } from '../support/browser.js';
import { textsOf } from '../support/page-blocks.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { useApi } from '../support/use-database.js';

describe('the page to ask GraphQL on', () => {
  const api = useApi();

  it('loads nothing from elsewhere, and all that it loads is there', async () => {
    const response = await fetch(`${api.url}/ide`);
    const html = await response.text();
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'/,
    );
    expect(html).not.toMatch(/(?:src|href)="(?!\/|data:)/);
    const paths = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1] ?? '');
    expect(paths).toHaveLength(6);
    for (const path of paths) {
      const file = await fetch(api.url + path);
      const type = path.endsWith('.css') ? 'text/css' : 'text/javascript';
      expect([path, file.status, file.headers.get('content-type')]).toEqual([
        path,
        200,
        `${type}; charset=utf-8`,
      ]);
      expect((await file.text()).length).toBeGreaterThan(10);
    }
  });

  it.each(['x.js', '..%2Fide.controller.ts', '__proto__', 'constructor'])(
    'has no other file: %s',
    async (name) => {
      const { status } = await fetch(`${api.url}/ide/${name}`);
      expect([400, 404]).toContain(status);
    },
  );

  it('has every question of the page on GraphQL ready, and each is one that the schema takes', async () => {
    const examples = (await (await fetch(`${api.url}/ide/examples.json`)).json()) as { query: string }[];
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
          const editor = page.locator('.graphiql-query-editor');
          await editor.getByText(`lab-${round}`).first().waitFor({ timeout: 15_000 });
        }
        expect(asked.filter((body) => body.includes('lab-'))).toEqual([]);
      } finally {
        await browser.close();
      }
    },
    60_000,
  );

  it('can ask for the whole schema, with everything that is said of it', async () => {
    const query = getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true });
    expect(await api.codesOf(query)).toEqual([]);
  });
});
