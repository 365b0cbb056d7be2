import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tlsRemedy } from '../../src/domain/tls-fault.js';
import { HttpClient } from '../../src/platform/http.js';
import type { TlsFiles } from '../../src/platform/http-messages.js';
import { Certificates } from '../support/certificates.js';
import { runHere } from '../support/command-here.js';

const LIMITS = { bodyBytes: 1_000, headersMs: 3_000, totalMs: 5_000 };

describe('TLS with a node', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-node-tls-'));
  const certificates = new Certificates(folder);
  const file = (name: string): string => certificates.file(name);
  const servers: Server[] = [];
  const http = new HttpClient();

  beforeAll(() => {
    certificates.makeAuthority('ours');
    certificates.makeAuthority('another');
    certificates.make('server', 'ours', 'IP:127.0.0.1');
    certificates.make('old', 'ours', 'IP:127.0.0.1', 0);
    certificates.make('client', 'ours', 'DNS:hindsight');
  });
  afterAll(async () => {
    await http.close();
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true });
  });

  async function serve(name: string, options: ServerOptions = {}): Promise<string> {
    const [cert, key] = [readFileSync(file(`${name}.pem`)), readFileSync(file(`${name}.key`))];
    const server = createServer({ cert, key, ...options }, (request, response) => {
      response.end(request.headers['x-token'] ?? 'none');
    });
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** The body of the answer, or why there is none. */
  async function ask(url: string, tls?: TlsFiles): Promise<string> {
    const result = await http.request({ url, tls, limits: LIMITS });
    return result.kind === 'response' ? result.body.toString() : `${result.reason}: ${result.detail}`;
  }

  const ours = { caFile: file('ours.pem') };

  it('trusts an authority of the settings, and no other', async () => {
    const url = await serve('server');
    expect(await ask(url, ours)).toBe('none');
    expect(await ask(url)).toBe('TLS: unable to verify the first certificate');
    expect(await ask(url, { caFile: file('another.pem') })).toMatch(/^TLS: unable to/);
    expect(await ask(url, { caFile: file('none.pem') })).toBe('OTHER: the caFile cannot be read (ENOENT)');
  });

  it('shows a certificate of its own, and a renewed one without a restart', async () => {
    const url = await serve('server', { requestCert: true, ca: readFileSync(file('ours.pem')) });
    expect(await ask(url, ours)).toMatch(/^RESET|^TLS/);
    const files = { ...ours, certFile: file('mine.pem'), keyFile: file('mine.key') };
    expect(await ask(url, files)).toBe('OTHER: the certFile cannot be read (ENOENT)');
    for (const part of ['pem', 'key'])
      writeFileSync(file(`mine.${part}`), readFileSync(file(`client.${part}`)));
    expect(await ask(url, files)).toBe('none');
  });

  it('has a remedy for each fault', async () => {
    const url = await serve('server');
    expect(tlsRemedy(await ask(url))).toContain('caFile');
    expect(tlsRemedy(await ask(url.replace('127.0.0.1', 'localhost'), ours))).toContain('Use a host name');
    expect(tlsRemedy(await ask(await serve('old'), ours))).toContain('Renew the certificate');
    expect(tlsRemedy(await ask('https://127.0.0.1:1'))).toBeUndefined();
  });

  it('is used by hindsight check for a node of the settings, with its headers', async () => {
    const url = await serve('server');
    const config = file('hindsight.yaml');
    const node = { id: 'a', rpc: url, ...ours, headers: { 'x-token': 'abc' } };
    writeFileSync(config, JSON.stringify({ nodes: [node] }));
    const check = (...args: string[]) => runHere(['check', ...args], undefined);
    expect((await check('a', '--config', config)).error).toContain('it does not answer as a rollup node');
    expect((await check('b', '--config', config)).error).toContain('one of: a.');
    expect((await check(url)).error).toMatch(/unable to verify the first certificate.*\n.*caFile/);
    expect((await check(url, '--header', 'x')).error).toContain("It must be like 'authorization: Bearer");
  });
});
