import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { DataSource } from 'typeorm';
import { hashKey } from '../../src/api/keys/key-text.js';
import { addKey, loadLivingKeys, revokeKey } from '../../src/api/keys/stored-keys.js';
import type { Manifest } from '../../src/cli/backup-folder.js';
import { writeBackup } from '../../src/cli/backup-writer.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { restoreLog } from '../../src/event-log/restore-log.js';
import { createDataSource } from '../../src/platform/database.js';
import type { CommandResult } from '../support/command-here.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { monthLog } from '../support/month-log.js';
import { ServiceHome } from '../support/service-process.js';

const MONTHS = 3;
const EVENTS = 400;

const LOG = ['event', 'stream_head', 'log_head'];
const KEYS = ['name', 'scope', 'hash', 'created_at', 'last_used_at', 'revoked_at'];

describe('hindsight backup and restore', () => {
  const home = new ServiceHome();
  const opened: { database: TestDatabase; dataSource: DataSource }[] = [];
  let source: DataSource;

  const open = async (): Promise<DataSource> => {
    const database = await startTestDatabase();
    const dataSource = await createDataSource({ url: database.url, poolSize: 4 }).initialize();
    opened.push({ database, dataSource });
    return dataSource;
  };
  const openLog = async (label: string): Promise<DataSource> => {
    const dataSource = await open();
    await restoreLog(dataSource, lines(label), () => undefined);
    return dataSource;
  };
  const run = (dataSource: DataSource, ...args: string[]): Promise<CommandResult> =>
    home.runHere(args, String((dataSource.options as { url?: string }).url));
  const backUp = (dataSource: DataSource, folder: string): Promise<CommandResult> =>
    run(dataSource, 'backup', folder);
  /** Without any database. */
  const verify = (folder: string): Promise<CommandResult> =>
    home.runHere(['verify', '--backup', folder], 'postgres://nowhere/nothing');
  const at = (...names: string[]): string => join(home.dataDir, ...names);
  const manifestOf = (folder: string): Manifest =>
    JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8')) as Manifest;
  const partsOf = (folder: string): string[] => readdirSync(folder).filter((name) => /^\d/.test(name));
  const contentOf = async (dataSource: DataSource): Promise<unknown> => {
    const read = (columns: string, table: string): Promise<unknown> =>
      dataSource.query(`SELECT (${columns})::text AS row FROM ${table} t ORDER BY 1`);
    return [
      ...(await Promise.all(LOG.map((table) => read('t', table)))),
      await read(KEYS.join(', '), 'api_key'),
    ];
  };
  const append = async (dataSource: DataSource, count: number): Promise<void> => {
    const store = new EventStore(dataSource);
    for (let index = 0; index < count; index += 1) {
      const { version } = await store.loadStream('node-1/submissions');
      const event = { type: 'NodeRetired', observedAt: index, body: {} } as const;
      await store.append({
        stream: 'node-1/submissions',
        expectedVersion: version,
        events: [event],
        state: { appended: index },
      });
    }
  };
  /** A copy of the folder, for a test that changes it. */
  const copyOf = (folder: string, name: string): string => {
    cpSync(folder, at(name), { recursive: true });
    return at(name);
  };
  async function* lines(
    label: string,
  ): AsyncGenerator<ReturnType<typeof monthLog> extends Generator<infer T> ? T : never> {
    yield* monthLog(MONTHS, EVENTS, label);
  }

  beforeAll(async () => {
    source = await openLog('');
    await addKey(source, { name: 'old', scope: 'read', hash: hashKey('old') });
    await revokeKey(source, 'old');
    await addKey(source, { name: 'bi', scope: 'admin', hash: hashKey('bi') });
    expect(await backUp(source, at('whole'))).toMatchObject({ code: 0, error: '' });
  }, 60_000);

  afterAll(async () => {
    for (const { database, dataSource } of opened) {
      await dataSource.destroy();
      await database.stop();
    }
    await home.clear();
  });

  it('has a file for each month, which other accounts cannot read, and says where it ends', async () => {
    const folder = at('whole');
    const { position, hash, recordedAt, streams } = manifestOf(folder);
    expect(readdirSync(folder).toSorted()).toEqual([
      '2026-01.000000000001.ndjson.gz',
      '2026-02.000000000401.ndjson.gz',
      '2026-03.000000000801.ndjson.gz',
      'backup.json',
      'streams-1200.ndjson.gz',
    ]);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const log = at('log.ndjson');
    await run(source, 'export', 'events', '--format', 'ndjson', '--position-to', '1195', '--out', log);
    const copied = partsOf(folder).map((name) => gunzipSync(readFileSync(join(folder, name))).toString());
    expect(copied.join('').split('\n').slice(0, 1_195)).toEqual(
      readFileSync(log, 'utf8').trimEnd().split('\n'),
    );
    expect({ position, recordedAt, streams: streams?.file }).toEqual({
      position: 1_200,
      recordedAt: '2026-03-01T00:00:00.399007Z',
      streams: 'streams-1200.ndjson.gz',
    });
    // As `backup.json` describes it.
    const hashOf = (before: Buffer, event: string): Buffer =>
      createHash('sha256').update(before).update(event, 'hex').digest();
    const hashes = [...monthLog(MONTHS, EVENTS)].map(({ row }) => row.hash);
    expect(hash).toBe(hashes.reduce(hashOf, Buffer.alloc(32)).toString('hex'));
    // The database ends with the same hash.
    expect((await run(source, 'verify')).out).toContain(`Hash of the log: ${hash}\n`);
    expect(await verify(folder)).toEqual({
      code: 0,
      error: '',
      out:
        'The backup is as it was written: 1200 events in 5 streams, every hash chain intact. ' +
        `They end at position 1200, recorded at 2026-03-01T00:00:00.399007Z.\nHash of the log there: ${hash}\n`,
    });
  });

  it('copies only what is new, and restores all of it with the newest states', async () => {
    const folder = copyOf(at('whole'), 'grown');
    const original = await open();
    expect(await run(original, 'restore', folder)).toMatchObject({ code: 0, error: '' });
    expect(await contentOf(original)).toEqual(await contentOf(source));
    const before = partsOf(folder).map((name) => [name, readFileSync(join(folder, name))] as const);
    await append(original, 3);
    expect((await backUp(original, folder)).out).toMatch(
      /^Copied 3 new events into .+ They end at position 1203,/,
    );
    await append(original, 2);
    expect((await backUp(original, folder)).out).toMatch(/^Copied 2 new events /);
    for (const [name, content] of before) expect(readFileSync(join(folder, name))).toEqual(content);
    // The two last runs share a part.
    expect(partsOf(folder)).toHaveLength(before.length + 1);
    expect(readdirSync(folder).filter((name) => name.startsWith('streams'))).toEqual([
      'streams-1205.ndjson.gz',
    ]);
    const manifest = readFileSync(join(folder, 'backup.json'));
    expect((await backUp(original, folder)).out).toMatch(/^Copied 0 new events /);
    expect(readFileSync(join(folder, 'backup.json'))).toEqual(manifest);
    const copy = await open();
    const restored = await run(copy, 'restore', folder);
    expect(restored).toMatchObject({ code: 0, error: '' });
    expect(restored.out).toMatch(
      /^Restored 1205 events of 5 streams and 2 API keys, every hash chain intact\. /,
    );
    expect(await contentOf(copy)).toEqual(await contentOf(original));
    expect((await loadLivingKeys(copy)).map(({ name, hash }) => [name, hash])).toEqual([
      ['bi', hashKey('bi')],
    ]);
    expect((await run(copy, 'verify')).out).toContain(manifestOf(folder).hash);
    await append(copy, 1);
    expect(await run(copy, 'verify')).toMatchObject({ code: 0 });
    // The copy continues the log, so its backups continue the folder.
    expect((await backUp(copy, folder)).out).toMatch(/^Copied 1 new events /);
    // The original went another way.
    await append(original, 2);
    expect(await backUp(original, folder)).toMatchObject({
      code: 1,
      error: expect.stringMatching(
        /does not continue the backup in .+: it has another event at position 1206/,
      ) as string,
    });
    expect(await verify(folder)).toMatchObject({ code: 0 });
  });

  it('limits the events of a part', async () => {
    const folder = at('small-parts');
    const options = { signal: AbortSignal.timeout(30_000), onProgress: () => undefined, partEvents: 100 };
    await writeBackup(source, folder, options);
    expect(manifestOf(folder).parts.map(({ first, last }) => [first, last])).toEqual([
      [1, 400],
      [401, 800],
      [801, 1_000],
      [1_001, 1_200],
    ]);
    expect(await verify(folder)).toMatchObject({ code: 0 });
  });

  it('is judged by every byte: a changed, missing or shortened file is named', async () => {
    const second = '2026-02.000000000401.ndjson.gz';
    const edit =
      (change: (manifest: Manifest) => object) =>
      (folder: string): void =>
        writeFileSync(join(folder, 'backup.json'), JSON.stringify(change(manifestOf(folder))));
    const flip =
      (name: string) =>
      (folder: string): void => {
        const content = readFileSync(join(folder, name));
        content[content.length >> 1]! ^= 1;
        writeFileSync(join(folder, name), content);
      };
    const damages: readonly (readonly [(folder: string) => void, string])[] = [
      [flip(second), `${second}: its SHA-256 is not the one of backup.json`],
      [flip('streams-1200.ndjson.gz'), 'streams-1200.ndjson.gz: its SHA-256 is not'],
      [(folder) => rmSync(join(folder, second)), `${second}: no such file or directory`],
      [(folder) => truncateSync(join(folder, second), 500), `${second}: its SHA-256 is not`],
      [
        (folder) => renameSync(join(folder, second), join(folder, '2026-01.000000000001.ndjson.gz')),
        '2026-01.000000000001.ndjson.gz: its SHA-256',
      ],
      [
        edit((manifest) => ({ ...manifest, parts: manifest.parts.slice(1) })),
        '2026-02.000000000401.ndjson.gz, line 1: position 401 (node-0/submissions): position 1 is missing',
      ],
      [
        edit((manifest) => ({ ...manifest, parts: manifest.parts.slice(0, 2) })),
        'backup.json: the parts end at position 800, not 1200',
      ],
      [
        edit((manifest) => ({ ...manifest, position: 1_199 })),
        'backup.json: its hash or time is not that of position 1199',
      ],
      [edit((manifest) => ({ ...manifest, hash: '0'.repeat(64) })), 'backup.json: its hash or time'],
      [
        edit((manifest) => ({ ...manifest, recordedAt: 'yesterday' })),
        'backup.json: recordedAt is not a time',
      ],
      [
        edit((manifest) => ({
          ...manifest,
          parts: manifest.parts.map((part) => ({ ...part, file: `../${part.file}` })),
        })),
        'backup.json: parts.0.file',
      ],
      [(folder) => writeFileSync(join(folder, 'backup.json'), '{'), 'backup.json: '],
    ];
    for (const [index, [damage, words]] of damages.entries()) {
      const folder = copyOf(at('whole'), `damaged-${index}`);
      damage(folder);
      expect(await verify(folder)).toEqual({
        code: 1,
        out: '',
        error: expect.stringContaining(`The backup is damaged: ${words}`) as string,
      });
    }
    const newer = copyOf(at('whole'), 'newer');
    edit((manifest) => ({ ...manifest, format: 2, parts: 'elsewhere' }))(newer);
    const words = /is of a newer release: it has format 2, and this release knows 1\.\nUse the release/;
    for (const { code, error } of [
      await verify(newer),
      await backUp(source, newer),
      await run(source, 'restore', newer),
    ])
      expect({ code, error }).toEqual({ code: 1, error: expect.stringMatching(words) as string });
  });

  it('ends where the last complete run ended, whatever a killed run left, and the next run continues', async () => {
    const folder = copyOf(at('whole'), 'killed');
    const { parts, ...rest } = manifestOf(folder);
    const [first, ...others] = parts;
    const asLeft = (manifest: object): void =>
      writeFileSync(join(folder, 'backup.json'), JSON.stringify({ ...rest, ...manifest }));
    // As if the first run had been killed within its second part.
    asLeft({ position: 0, hash: '0'.repeat(64), recordedAt: null, streams: null, keys: [], parts: [first] });
    truncateSync(join(folder, others[0]!.file), 500);
    appendFileSync(join(folder, first!.file), 'half a page');
    expect(await verify(folder)).toMatchObject({
      code: 1,
      error: expect.stringMatching(
        /No backup into .+ was completed: 400 events were copied\.\nRun .+ it continues/,
      ) as string,
    });
    expect((await backUp(source, folder)).out).toMatch(/^Copied 800 new events /);
    expect(partsOf(folder)).toEqual(parts.map(({ file }) => file));
    expect(await verify(folder)).toMatchObject({ code: 0 });
    // As if a later run had been killed before its end.
    const short = await open();
    await writeShort(short);
    const later = at('killed-later');
    await backUp(short, later);
    const begun = manifestOf(later);
    cpSync(folder, later, { recursive: true });
    writeFileSync(join(later, 'backup.json'), JSON.stringify({ ...begun, parts: manifestOf(folder).parts }));
    expect(await verify(later)).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^The backup is as it was written: 300 events in 5 [^]+After its end, 900 events of a run/,
      ) as string,
    });
    const copy = await open();
    expect((await run(copy, 'restore', later)).out).toMatch(/^Restored 300 events of 5 streams/);
    expect(await contentOf(copy)).toEqual(await contentOf(short));
    expect((await backUp(source, later)).out).toMatch(/^Copied 0 new events .+ They end at position 1200,/);
    expect(await verify(later)).toMatchObject({
      code: 0,
      out: expect.not.stringContaining('After its end') as string,
    });

    async function writeShort(dataSource: DataSource): Promise<void> {
      async function* some(): AsyncGenerator<Awaited<ReturnType<ReturnType<typeof lines>['next']>>['value']> {
        let left = 300;
        for (const line of monthLog(MONTHS, EVENTS)) {
          if (left === 0) return;
          yield { ...line, state: '{"short":true}' };
          left -= 1;
        }
      }
      await restoreLog(dataSource, some(), () => undefined);
    }
  });

  it('is restored part by part: what was interrupted is refused by everything else, and continues', async () => {
    const half = copyOf(at('whole'), 'half');
    truncateSync(join(half, '2026-03.000000000801.ndjson.gz'), 500);
    const copy = await open();
    expect(await run(copy, 'restore', half)).toMatchObject({
      code: 1,
      error: expect.stringContaining('The backup is damaged: 2026-03.000000000801.ndjson.gz') as string,
    });
    expect(await copy.query('SELECT max(position)::int AS last FROM event')).toEqual([{ last: 800 }]);
    const unfinished =
      'hindsight: This database has a part of a record: restoring a backup into it was not finished.';
    const log = at('whole', 'backup.json');
    for (const args of [['verify'], ['import', 'events', log], ['backup', at('of-half')]])
      expect([args, await run(copy, ...args)]).toEqual([
        args,
        { code: 1, out: '', error: expect.stringContaining(unfinished) as string },
      ]);
    await expect(append(copy, 1)).rejects.toThrow('log_head is empty');
    const other = await openLog('other');
    await backUp(other, at('other'));
    expect(await run(copy, 'restore', at('other'))).toMatchObject({
      code: 1,
      error: expect.stringContaining(
        'This database has a part of another record, up to position 800.',
      ) as string,
    });
    expect(await run(copy, 'restore', at('whole'))).toMatchObject({ code: 0, error: '' });
    expect(await contentOf(copy)).toEqual(await contentOf(source));
    expect(await run(copy, 'verify')).toMatchObject({ code: 0 });
  });

  it('is refused into a database with a log, and by a folder of another log', async () => {
    const other = await openLog('other');
    for (const folder of [at('whole'), at('whole', 'none')]) {
      const before = await contentOf(other);
      const { code, error } = await run(other, 'restore', folder);
      expect({ code, error }).toEqual(
        folder === at('whole')
          ? {
              code: 1,
              error: expect.stringContaining(
                'The log of this database is not empty: it has 1200 events.',
              ) as string,
            }
          : { code: 2, error: expect.stringContaining('There is no backup in') as string },
      );
      expect(await contentOf(other)).toEqual(before);
    }
    // As long, and longer.
    const words = /does not continue the backup in .+\nGive the folder of this database, or a new one/;
    expect(await backUp(other, at('whole'))).toMatchObject({
      code: 1,
      error: expect.stringMatching(words) as string,
    });
    await append(other, 1);
    expect(await backUp(other, at('whole'))).toMatchObject({
      code: 1,
      error: expect.stringMatching(words) as string,
    });
    const empty = await open();
    expect(await backUp(empty, at('whole'))).toMatchObject({
      code: 1,
      error: expect.stringContaining('The log is empty') as string,
    });
    expect(await verify(at('whole'))).toMatchObject({ code: 0 });
  });

  it('is refused where it cannot be written, and follows a link', async () => {
    writeFileSync(at('file'), 'mine');
    mkdirSync(at('mine'));
    writeFileSync(at('mine', 'letter.txt'), 'mine');
    symlinkSync(at('nowhere'), at('dangling'));
    const refusals: readonly (readonly [string, string])[] = [
      [at('file'), `Cannot read ${at('file', 'backup.json')}: not a directory`],
      [at('file', 'folder'), `Cannot write ${at('file', 'folder')}: not a directory`],
      [at('dangling'), `Cannot write ${at('dangling')}: `],
      [at('no', 'parent'), `Cannot write ${at('no', 'parent')}: no such file or directory`],
      [at('mine'), `${at('mine')} has files, and no backup`],
    ];
    for (const [folder, words] of refusals)
      expect(await backUp(source, folder)).toMatchObject({
        code: expect.any(Number) as number,
        out: '',
        error: expect.stringContaining(words) as string,
      });
    expect([readdirSync(at('mine')), readFileSync(at('file'), 'utf8')]).toEqual([['letter.txt'], 'mine']);
    symlinkSync(copyOf(at('whole'), 'linked'), at('link'));
    expect((await backUp(source, at('link'))).out).toMatch(/^Copied 0 new events /);
    // A part that is a link to something else.
    const folder = at('with-link');
    mkdirSync(folder);
    await writeBackup(source, folder, { signal: AbortSignal.timeout(30_000), onProgress: () => undefined });
    const manifest = manifestOf(folder);
    writeFileSync(
      join(folder, 'backup.json'),
      JSON.stringify({
        ...manifest,
        position: 0,
        hash: '0'.repeat(64),
        recordedAt: null,
        streams: null,
        parts: [],
      }),
    );
    const [part] = partsOf(folder);
    rmSync(join(folder, part!));
    symlinkSync(at('file'), join(folder, part!));
    expect(await backUp(source, folder)).toMatchObject({
      code: 1,
      error: expect.stringContaining('too many symbolic links') as string,
    });
    expect(readFileSync(at('file'), 'utf8')).toBe('mine');
  });

  it('ends before an event that was changed in the database, and names it', async () => {
    const changed = await openLog('');
    await changed.query(
      `SET session_replication_role = replica; UPDATE event SET body = '{}' WHERE position = 450; SET session_replication_role = origin`,
    );
    const folder = at('of-changed');
    expect(await backUp(changed, folder)).toMatchObject({
      code: 1,
      error: expect.stringMatching(
        /: position 450 \(node-4\/submissions\): its hash does not match[^]+`hindsight verify`/,
      ) as string,
    });
    expect(manifestOf(folder).parts.map(({ last }) => last)).toEqual([400]);
  });

  it('is written by one process at a time', async () => {
    const options = { signal: AbortSignal.timeout(30_000), onProgress: () => undefined };
    const both = await Promise.allSettled([1, 2].map(() => writeBackup(source, at('both'), options)));
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const [refused] = both.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
    expect(refused).toContain('The right to back up is held by');
    expect(await verify(at('both'))).toMatchObject({ code: 0 });
  });
});
