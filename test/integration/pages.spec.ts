import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import type { HttpReply } from '../../src/api/graphql/http-messages.js';
import { PageFiles } from '../../src/api/pages/static-files.js';
import { openPage, startBrowser } from '../support/browser.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { useApi } from '../support/use-database.js';

const POLICY =
  /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src (?:'self'|data:); base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/;

/** Each page, and an element that it has once its scripts have run. */
const PAGES = [
  ['/', ':text("Add one to the settings")'],
  ['/ide', '.query .cm-content'],
  ['/docs', '#operations-Questions-ask'],
  ['/nodes/alpha/da', 'html[data-ready="true"]'],
] as const;

/** The raw bytes: `fetch` would decompress them. */
function askFor(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly headers: IncomingHttpHeaders; readonly body: Buffer }> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (answer) => {
      buffer(answer).then((body) => resolve({ headers: answer.headers, body }), reject);
    }).on('error', reject);
  });
}

describe('a page', () => {
  const api = useApi();

  it.each(PAGES)('loads nothing from elsewhere, and everything that it loads exists: %s', async (path) => {
    const response = await fetch(api.url + path);
    const html = await response.text();
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toMatch(POLICY);
    expect(html).not.toMatch(/(?:src|href)="(?!\/|data:)|<style|<script>|\son\w+=/);
    const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      const { status, headers } = await fetch(api.url + file);
      const text = `text/${file.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`;
      const type = file.endsWith('.woff2') ? 'font/woff2' : text;
      expect([file, status, headers.get('content-type')]).toEqual([file, 200, type]);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  });

  it.each([
    'x.js',
    'index.html',
    '..%2Fquestions.js',
    '..%2Fdashboard%2Findex.html',
    '__proto__',
    'constructor',
    '.',
  ])('has no other files: %s', async (name) => {
    const { status } = await fetch(`${api.url}/assets/${name}`);
    expect([400, 404]).toContain(status);
  });

  it('has no file that an upgrade removed', async () => {
    const file = 'dist/pages/assets/removed.js';
    const files = new PageFiles();
    const reply = { header: () => reply, request: { headers: {} } } as unknown as HttpReply;
    writeFileSync(file, '');
    await expect(files.send('x.js', reply)).rejects.toThrow('does not exist');
    rmSync(file);
    await expect(files.send('removed.js', reply)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('compresses what pages load once, for clients that accept it', async () => {
    const html = await (await fetch(api.url)).text();
    const [file = ''] = /\/assets\/[^"]+\.js/.exec(html) ?? [];
    const sizeFor = async (encodings: string): Promise<readonly [string | undefined, number]> => {
      const { headers, body } = await askFor(api.url + file, { 'accept-encoding': encodings });
      expect(headers.vary).toContain('accept-encoding');
      return [headers['content-encoding'], (headers['content-encoding'] ? gunzipSync(body) : body).length];
    };
    const size = readFileSync(`dist/pages${file}`).length;
    expect(await sizeFor('gzip, br')).toEqual(['gzip', size]);
    expect(await sizeFor('br, gzip;q=0')).toEqual([undefined, size]);
    expect(await sizeFor('identity')).toEqual([undefined, size]);
  });

  it.each([
    ['/', 'fleet'],
    ['/chain/a', 'charts'],
    ['/cost', 'charts'],
  ])('names everything that draws it, so no script waits for another: %s', async (path, part) => {
    const html = await (await fetch(api.url + path)).text();
    const named = new Set([...html.matchAll(/\/assets\/([^"]+\.js)/g)].map((match) => match[1] ?? ''));
    expect([...named].join()).toContain(`${part}-`);
    for (const name of named) {
      const loads = readFileSync(`dist/pages/assets/${name}`, 'utf8').matchAll(
        /(?:from|import)["'`]\.\/([\w.-]+\.js)["'`]/g,
      );
      for (const [, other = ''] of loads) expect(named).toContain(other);
    }
  });

  it('says so as a page where there is none, to browsers alone', async () => {
    const [asPage, asApi] = await Promise.all(
      ['text/html,application/xhtml+xml', '*/*'].map((accept) =>
        fetch(`${api.url}/nope`, { headers: { accept } }),
      ),
    );
    expect([asPage?.status, asApi?.status]).toEqual([404, 404]);
    expect(asPage?.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await asPage?.text()).toContain('<div id="app">');
    expect(await asApi?.json()).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
  });

  it('names its version', async () => {
    expect(await (await fetch(api.url)).text()).toContain('<meta name="version" content="0.0.0-test"');
  });

  describe('the browser for the pages', () => itHasProgram('chromium'));

  (hasProgram('chromium') ? describe : describe.skip)('in a browser', () => {
    let browser: Browser;

    beforeAll(async () => {
      browser = await startBrowser();
    });

    afterAll(() => browser.close());

    it.each(PAGES)('runs, and violates none of its own policies: %s', async (path, until) => {
      const { page, errors } = await openPage(browser, api.url + path, {
        width: 1_400,
        colours: 'light',
        until,
      });
      // A node that was never polled has answers of 404, which the browser logs as errors.
      expect(errors.filter((error) => !error.includes('404'))).toEqual([]);
      await page.close();
    });

    it('leads from an address without a page to the fleet', async () => {
      const { page } = await openPage(browser, `${api.url}/nope`, { width: 1_400, colours: 'light' });
      await page.getByText('There is no page at this address.').waitFor();
      await page.getByRole('link', { name: 'fleet', exact: true }).click();
      await page.getByRole('heading', { name: 'No nodes monitored yet' }).waitFor();
      await page.close();
    });
  });
});
