import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import type { NewEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { createDataSource } from '../../src/platform/database.js';
import { appendLog } from '../support/append-log.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { healthRow, insertRows } from '../support/read-model-rows.js';
import type { CommandResult } from '../support/command-here.js';
import { ServiceHome } from '../support/service-process.js';
import { SmallLog } from '../support/small-log.js';

const FILES = ['events.ndjson', 'manifest.json', 'README.md', 'verify.mjs'];

describe('hindsight evidence', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let home: ServiceHome;
  let folder: string;
  /** The SHA-256 of the manifest, as the command prints it. */
  let printed: string;

  const run = (...args: string[]): Promise<CommandResult> =>
    home.runHere(['evidence', ...args], database.url);
  /** Verifies with plain Node, in a folder without the project. */
  const verify = (bundle: string) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['verify.mjs'], {
      cwd: bundle,
      encoding: 'utf8',
      env: {},
    });
    return { status, stdout, stderr };
  };

  beforeAll(async () => {
    home = new ServiceHome();
    folder = mkdtempSync(join(tmpdir(), 'hindsight-evidence-'));
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
    const log = new SmallLog()
      .register('alpha', 'lab-1')
      .describe('alpha', 'lab-1')
      .register('beta', 'lab-1');
    for (let n = 1; n <= 6; n++) {
      log.now = n * 1_000;
      log.rows('alpha', [{ da: n }, JSON.stringify({ message: 'l\u2028ine \u{1f600} é', height: n })]);
      log.blocks('alpha', 'lab-1', [{ height: n, headerDa: n }]).rows('beta', [{ da: n }]);
    }
    await appendLog(dataSource, log.events);
    const asked = ['alpha', '--from', '2020-01-01', '--out', join(folder, 'whole')];
    const written = await home.run(['evidence', ...asked], { databaseUrl: database.url });
    expect(written.code).toBe(0);
    printed = /^SHA-256 of its manifest\.json: ([0-9a-f]{64})$/m.exec(written.out + written.error)?.[1] ?? '';
  });

  afterAll(async () => {
    await dataSource?.destroy();
    await home?.clear();
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('writes the events around an incident', async () => {
    await insertRows(dataSource, 'health_interval', [
      healthRow('DA', '2026-11-20T23:00:00Z', '2026-11-20T23:01:00Z', 'CRITICAL', { rule: 'failing' }),
    ]);
    const id = `Incident:alpha:DA:${Date.UTC(2026, 10, 20, 23)}000000`;
    const bundle = join(folder, 'incident');
    const { code, error } = await run('--incident', id, '--out', bundle);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(verify(bundle).status).toBe(0);
    expect(await run('--incident', 'Incident:x', '--out', join(folder, 'none'))).toMatchObject({ code: 2 });
    expect(await run('alpha', '--incident', id, '--out', join(folder, 'none'))).toMatchObject({ code: 2 });
  });

  it('writes the events of all nodes of an incident', async () => {
    const first = '2026-11-20T20:00:00Z';
    const trouble = (node: string) =>
      healthRow('NODE', first, null, 'CRITICAL', { node, rule: 'head-still' });
    await insertRows(dataSource, 'health_interval', [trouble('alpha'), trouble('beta')]);
    const root = { root_node: 'alpha', root_from_at: first, from_position: 1, to_position: null };
    await insertRows(dataSource, 'incident_join', [
      { node: 'beta', component: 'NODE', from_at: first, ...root },
    ]);
    const bundle = join(folder, 'joined');
    const id = `Incident:alpha:NODE:${Date.parse(first)}000000`;
    expect(await run('--incident', id, '--out', bundle)).toMatchObject({ code: 0, error: '' });
    expect(verify(bundle).status).toBe(0);
    const lines = readFileSync(join(bundle, 'events.ndjson'), 'utf8').trimEnd().split('\n');
    const streams = new Set(lines.map((line) => (JSON.parse(line) as { stream: string }).stream));
    expect([...streams]).toEqual(expect.arrayContaining(['alpha/submissions', 'beta/submissions']));
  });

  it('redacts addresses and people, and is verified for the rest', async () => {
    const log = new SmallLog().register('gamma', 'lab-1').describe('gamma', 'lab-1');
    log.rows('gamma', [
      { da: 7 },
      JSON.stringify({ status_code: 'Error', message: 'dial tcp 10.1.2.3:26658: refused by da.internal' }),
    ]);
    const store = new EventStore(dataSource);
    for (const { stream, type, body, observedAt } of log.events) {
      const event = { type, body, observedAt: Number(observedAt / 1000n) } as NewEvent;
      const { version } = await store.loadStream(stream);
      await store.append({ stream, expectedVersion: version, events: [event] });
    }
    const note = { incident: 'x', note: 'ask http://da.internal:26658/key', by: 'Kim' };
    const acknowledged = { type: 'IncidentAcknowledged', observedAt: 1, body: note } as const;
    await store.append({ stream: 'gamma/incidents', expectedVersion: 0n, events: [acknowledged] });
    const bundle = join(folder, 'redacted');
    const { code } = await run('gamma', '--from', '2020-01-01', '--out', bundle, '--redact');
    expect(code).toBe(0);
    const text = readFileSync(join(bundle, 'events.ndjson'), 'utf8');
    for (const secret of ['10.1.2.3', 'da.internal', 'Kim', 'gamma:26657', 'http://gamma']) {
      expect(text).not.toContain(secret);
    }
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; redacted?: true });
    const redacted = lines.filter((line) => line.redacted).map(({ type }) => type);
    expect(redacted.toSorted()).toEqual(['IncidentAcknowledged', 'NodeRegistered', 'SubmissionsObserved']);
    const { status, stdout } = verify(bundle);
    expect(status).toBe(0);
    expect(stdout).toContain(`the hashes of ${lines.length - 3} events`);
    expect(stdout).toContain('Not verified: 3 redacted events.');
    // Events that are not redacted are held to their hashes, and the places of all to the chain.
    const places = text.trimEnd().split('\n');
    const described = lines.findIndex(({ type }) => type === 'NodeDescribed');
    const spoil = (at: number, from: RegExp, to: string) => {
      const spoilt = join(folder, `redacted-${at}`);
      cpSync(bundle, spoilt, { recursive: true });
      const changed = places.map((line, index) => (index === at ? line.replace(from, to) : line));
      expect(changed).not.toEqual(places);
      writeFileSync(join(spoilt, 'events.ndjson'), `${changed.join('\n')}\n`);
      return verify(spoilt).stderr;
    };
    expect(spoil(described, /lab-1/, 'lab-2')).toContain('its hash does not match its content');
    const registered = lines.findIndex(({ type }) => type === 'NodeRegistered');
    expect(spoil(registered, /"hash":"[0-9a-f]{64}"/, `"hash":"${'0'.repeat(64)}"`)).toContain(
      'it does not follow the event before it in its stream',
    );
  });

  it('writes the events of an excluded node, which the log keeps', async () => {
    const store = new EventStore(dataSource);
    for (const [stream, type, body] of [
      ['delta/node', 'NodeRegistered', { url: 'http://delta' }],
      ['delta/exclusion', 'NodeExcluded', { why: 'a test network', by: 'Kim' }],
    ] as const)
      await store.append({
        stream,
        expectedVersion: 0n,
        events: [{ type, observedAt: 1, body } as NewEvent],
      });
    const bundle = join(folder, 'excluded');
    const { code, error } = await run('delta', '--from', '2020-01-01', '--out', bundle);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(readFileSync(join(bundle, 'events.ndjson'), 'utf8')).toContain('"stream":"delta/node"');
    expect(verify(bundle).status).toBe(0);
  });

  it('writes all events of the node, which plain Node verifies', async () => {
    const [row] = await dataSource.query<{ count: bigint; streams: bigint }[]>(
      `SELECT count(*), count(DISTINCT stream) AS streams FROM event WHERE stream LIKE 'alpha/%'`,
    );
    const { status, stdout, stderr } = verify(join(folder, 'whole'));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(printed).not.toBe('');
    expect(stdout).toContain(`SHA-256 of manifest.json, to compare with the one that was printed`);
    expect(stdout).toContain(`: ${printed}\n`);
    const links = (row?.count ?? 0n) - (row?.streams ?? 0n);
    expect(stdout).toContain(`3 files, the hashes of ${row?.count} events, ${links} links between them`);
    const heads = await dataSource.query<{ stream: string; version: bigint; hash: string }[]>(
      `SELECT stream, version, encode(hash, 'hex') AS hash FROM stream_head WHERE stream LIKE 'alpha/%'`,
    );
    for (const { stream, version, hash } of heads)
      expect(stdout).toContain(`${JSON.stringify(stream)} version ${version} ${hash}`);
    const lines = readFileSync(join(folder, 'whole', 'events.ndjson'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { stream: string }).stream)).not.toContain(
      'beta/submissions',
    );
  });

  it('leaves no bundle behind if a file cannot be written completely, and does not touch existing files', async () => {
    const place = mkdtempSync(join(folder, 'full-'));
    const out = join(place, 'bundle');
    const asked = ['evidence', 'alpha', '--from', '2020-01-01', '--out', out];
    const failed = await home.runLine(`ulimit -f 1; $HINDSIGHT ${asked.join(' ')}`, {
      databaseUrl: database.url,
    });
    expect(failed).toMatchObject({
      code: 1,
      out: '',
      error: expect.stringContaining(`Cannot write ${out}.part/events.ndjson: file too large.\n`) as unknown,
    });
    expect(readdirSync(place)).toEqual([]);
    mkdirSync(`${out}.part`);
    expect(await home.runHere(asked, database.url)).toMatchObject({
      code: 1,
      error: expect.stringContaining(`Cannot make the folder ${out}.part: it exists.`) as unknown,
    });
    expect(readdirSync(place)).toEqual(['bundle.part']);
  });

  it.each(FILES)('finds a changed byte in %s', (name) => {
    const copy = join(folder, `changed-${name}`);
    const bytes = readFileSync(join(folder, 'whole', name));
    const step = Math.max(Math.floor(bytes.length / 12), 1);
    // Only bytes of the program's first line are changed: a later change could make it print anything.
    const places =
      name === 'verify.mjs'
        ? [5, 20, 40]
        : [...bytes.keys()].filter((at) => at % step === 0 || (name === 'manifest.json' && at < 20));
    expect(places.length).toBeGreaterThan(2);
    for (const at of places) {
      cpSync(join(folder, 'whole'), copy, { recursive: true });
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(join(copy, name), changed);
      const { status, stderr } = verify(copy);
      expect([name, at, status, stderr.includes(name)]).toEqual([name, at, 1, true]);
    }
  });

  it.each(['null', '5', 'not JSON'])('says in a sentence that the manifest %s cannot be read', (text) => {
    const copy = join(folder, 'no-manifest');
    cpSync(join(folder, 'whole'), copy, { recursive: true });
    writeFileSync(join(copy, 'manifest.json'), text);
    const { status, stderr } = verify(copy);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^FAULT manifest\.json: it cannot be read \(/);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('finds a removed, changed or exchanged event, even if the manifest was adapted', () => {
    const lines = readFileSync(join(folder, 'whole', 'events.ndjson'), 'utf8')
      .trimEnd()
      .split('\n');
    const [second = '', third = ''] = [lines[3], lines[4]];
    const forged = [
      lines.filter((_, index) => index !== 4),
      lines.map((line, index) => (index === 5 ? line.replace('height', 'weight') : line)),
      lines.map((line, index) => (index === 3 ? third : index === 4 ? second : line)),
    ];
    for (const [index, changed] of forged.entries()) {
      const copy = join(folder, `forged-${index}`);
      cpSync(join(folder, 'whole'), copy, { recursive: true });
      writeFileSync(join(copy, 'events.ndjson'), `${changed.join('\n')}\n`);
      const { stderr } = verify(copy);
      const ofLines = stderr.split('\n').filter((line) => line.includes('events.ndjson, line'));
      expect([index, ofLines.length > 0]).toEqual([index, changed.join() !== lines.join()]);
    }
  });

  it('writes a part of the record, which begins after a link that it names', async () => {
    const [row] = await dataSource.query<{ at: string }[]>(
      `SELECT to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at FROM event
        WHERE stream = 'alpha/submissions' AND version = 4`,
    );
    const out = join(folder, 'part');
    const { code } = await run('alpha', '--from', row?.at ?? '', '--out', out);
    expect(code).toBe(0);
    expect(verify(out).status).toBe(0);
    const text = readFileSync(join(out, 'events.ndjson'), 'utf8');
    expect(text.length).toBeLessThan(readFileSync(join(folder, 'whole', 'events.ndjson')).length);
  });

  it('gives the reason when it writes nothing', async () => {
    const out = join(folder, 'none');
    expect(await run('alpha', '--out', out)).toMatchObject({ code: 2, out: '' });
    expect(await run('nobody', '--from', '2020-01-01', '--out', out)).toMatchObject({ code: 2, out: '' });
    const there = await run('alpha', '--from', '2020-01-01', '--out', folder);
    expect(there).toMatchObject({ code: 1, out: '' });
    expect(there.error).toContain('it exists');
  });
});
