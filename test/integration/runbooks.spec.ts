import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { FAILURE_CODES } from '../../src/domain/submissions/failure-cause.js';
import { useApi } from '../support/use-database.js';

const NAMES = [...readdirSync('docs/runbooks').map((file) => file.replace('.md', '')), 'failure-causes'];

describe('a runbook', () => {
  const api = useApi();
  const read = async (name: string): Promise<string> =>
    (await fetch(`${api.url}/runbooks/${encodeURIComponent(name)}`)).text();

  it.each(NAMES)('is a page without scripts, whose links lead to pages that exist: %s', async (name) => {
    const { status, headers } = await fetch(`${api.url}/runbooks/${name}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await read(name);
    const style = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(html).toMatch(/<title>.+ - Hindsight<\/title>.*<h1 id="[a-z-]+">/s);
    expect(html).not.toMatch(/<script|\son\w+=|src=|style=/);
    const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    for (const link of links.filter((one) => !one.startsWith('http'))) {
      const [path = '', section] = link.split('#');
      const page = path === '' ? html : await (await fetch(api.url + path)).text();
      expect([link, page.includes('<h1')]).toEqual([link, true]);
      if (section !== undefined) expect(page).toContain(` id="${section}"`);
    }
  });

  it('shows a link to a page that is not served as plain text', async () => {
    const html = await read('da-failing');
    expect(html).toContain('of alerts.');
    expect(html).toContain('<a href="/runbooks/failure-causes">its section</a>');
  });

  it('has a section for each cause of a failure', async () => {
    const html = await read('failure-causes');
    for (const code of FAILURE_CODES) expect(html).toContain(`<h2 id="${code.toLowerCase()}">`);
  });

  it.each(['no-such', '../failure-causes', '..%2f..%2fpackage', '__proto__', 'constructor', "<b>'"])(
    'exists by its name only: %s',
    async (name) => {
      const { status } = await fetch(`${api.url}/runbooks/${encodeURIComponent(name)}`);
      expect(status).toBe(404);
    },
  );
});
