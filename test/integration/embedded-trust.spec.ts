import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createLogger } from '../../src/platform/logger.js';
import { EmbeddedFolder } from '../support/embedded-folder.js';

const SECRET = 'a line that only root may read\n';

/** The files that make a folder look like a cluster. */
const CLUSTER = 'mkdir -p data/postgres/data; echo 18 > data/postgres/data/PG_VERSION';

/** Poses as the server of its own folder, and asks every client for the password in clear. */
const FAKE_SERVER = `
  const { mkdirSync, writeFileSync, appendFileSync } = require('node:fs');
  const [data, heard] = process.argv.slice(1);
  process.chdir(data);
  const server = require('node:net').createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
      socket.on('data', (bytes) => appendFileSync(heard, bytes));
    });
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    writeFileSync('postmaster.pid', [process.pid, data, 1, port, '', '127.0.0.1', '', 'ready'].join('\\n'));
    console.log('listening');
  });`;

describe('the trust of the embedded Postgres', () => {
  let folder: EmbeddedFolder;
  let secret: string;

  beforeEach(() => {
    folder = new EmbeddedFolder();
    secret = join(folder.path, 'secret');
    writeFileSync(secret, SECRET, { mode: 0o600 });
  });

  afterEach(() => folder.clear());

  const refusal = async (
    options: { exclusive?: boolean } = {},
  ): Promise<{ message: string; remedy: string }> => {
    const error: unknown = await folder.open(options).then(
      () => new Error('it was opened'),
      (thrown: unknown) => thrown,
    );
    return error as { message: string; remedy: string };
  };

  it.each(['server.log', 'password'])('follows no link in place of %s', async (name) => {
    await folder.fill();
    rmSync(folder.file(name), { force: true });
    symlinkSync(secret, folder.file(name));
    expect(await refusal()).toMatchObject({
      message: `${folder.file(name)} is a link; Hindsight opens only its own file there.`,
      remedy: expect.stringContaining('Find out who put it there') as unknown,
    });
    expect(readFileSync(secret, 'utf8')).toBe(SECRET);
    expect(folder.findServer()).toBeUndefined();
  });

  it('does not wait for a pipe in place of a file', async () => {
    await folder.fill();
    rmSync(folder.file('password'));
    spawnSync('mkfifo', [folder.file('password')]);
    expect((await refusal()).message).toContain('is not an ordinary file');
  });

  it('follows no link in place of the folder of the database', async () => {
    mkdirSync(folder.dataDir);
    symlinkSync(secret, join(folder.dataDir, 'postgres-location'));
    expect((await refusal()).message).toContain('postgres-location is a link');
  });

  it('leaves no server running whose password it does not know', async () => {
    await folder.fill();
    const owner = statSync(folder.file('password'));
    writeFileSync(folder.file('password'), 'another\n');
    chownSync(folder.file('password'), owner.uid, owner.gid);
    expect((await refusal({ exclusive: false })).message).toContain('does not accept the password');
    expect(folder.findServer()).toBeUndefined();
    rmSync(folder.file('password'));
    expect((await refusal({ exclusive: false })).message).toContain('is missing');
    expect(folder.findServer()).toBeUndefined();
  });

  // Only root can lay traps as another user, and only root does not fall into them.
  if (process.getuid?.() === 0) {
    it("writes no line into a file that another user's folder links to", async () => {
      chmodSync(folder.path, 0o1777);
      folder.asNobody(
        `${CLUSTER}; echo x > data/postgres/password; ln -s ${secret} data/postgres/server.log`,
      );
      expect(await refusal()).toMatchObject({
        message: `As root, Hindsight does not keep data in ${folder.dataDir}: ${folder.dataDir} belongs to nobody.`,
        remedy: expect.stringContaining('sudo -u nobody') as unknown,
      });
      expect(readFileSync(secret, 'utf8')).toBe(SECRET);
    });

    it("prints no line of a file that another user's folder links to", async () => {
      chmodSync(folder.path, 0o1777);
      folder.asNobody(`${CLUSTER}; ln -s ${secret} data/postgres/password`);
      const heard = join(folder.path, 'heard');
      await folder.startAsNobody(FAKE_SERVER, folder.file('data'), heard);
      expect((await refusal({ exclusive: false })).message).toContain('belongs to nobody');
      expect(existsSync(heard)).toBe(false);
    });

    it.each([
      ['can be written to by others', (dataDir: string) => chmodSync(dataDir, 0o777), 'chmod go-w'],
      ['can be written to by its group', (dataDir: string) => chmodSync(dataDir, 0o775), 'chmod go-w'],
      ['can be added to by others', (dataDir: string) => chmodSync(dataDir, 0o1777), 'chmod go-w'],
      [
        'lies where others can put another',
        (dataDir: string) => chmodSync(join(dataDir, '..'), 0o777),
        'chmod go-w',
      ],
      [
        'lies in a folder of somebody else',
        (dataDir: string) => chownSync(join(dataDir, '..'), 65_534, 65_534),
        'sudo -u nobody',
      ],
    ])('does not let root use a data directory that %s', async (_, spoil, remedy) => {
      mkdirSync(folder.dataDir);
      spoil(folder.dataDir);
      expect(await refusal()).toMatchObject({
        message: expect.stringContaining('As root, Hindsight does not keep data in') as unknown,
        remedy: expect.stringContaining(remedy) as unknown,
      });
      expect(readdirSync(folder.dataDir)).toEqual([]);
    });

    it("does not let root make a data directory in another user's folder, nor follow a link there", async () => {
      chmodSync(folder.path, 0o1777);
      const target = join(folder.path, 'target');
      mkdirSync(target);
      folder.asNobody(`ln -s ${target} data`);
      expect((await refusal()).message).toContain('data belongs to nobody');
      expect(readdirSync(target)).toEqual([]);
      chownSync(folder.path, 65_534, 65_534);
      folder.asNobody('rm data');
      expect((await refusal()).message).toContain('belongs to nobody');
      expect(existsSync(folder.dataDir)).toBe(false);
    });

    it("does not let root use another user's database, in its data directory or where that points to", async () => {
      mkdirSync(folder.file('data'), { recursive: true });
      chownSync(folder.file('data'), 12_345, 12_345);
      expect((await refusal()).message).toContain('belongs to the account with number 12345');
      chownSync(folder.file(''), 65_534, 65_534);
      expect((await refusal()).message).toContain('postgres belongs to nobody');
      rmSync(folder.file(''), { recursive: true });
      const elsewhere = join(folder.path, 'elsewhere');
      mkdirSync(elsewhere);
      chownSync(elsewhere, 65_534, 65_534);
      writeFileSync(join(folder.dataDir, 'postgres-location'), `${elsewhere}\n`);
      expect((await refusal()).message).toContain('elsewhere belongs to nobody');
    });

    it('accepts a database that belongs to the account "nobody", and warns about it', async () => {
      await folder.fill();
      spawnSync('chown', ['-R', 'nobody', folder.file('data'), folder.file('password')]);
      const lines: string[] = [];
      const logger = createLogger('warn', { write: (line) => void lines.push(line) });
      await folder.open({ logger });
      expect(statSync(`/proc/${folder.findServer()}`).uid).toBe(65_534);
      expect(lines.join('')).toContain(
        'the database belongs to \\"nobody\\", whose other services can read it',
      );
    });

    it("opens the data directory through a link of root's own, wherever it was moved", async () => {
      await folder.fill();
      const moved = join(folder.path, 'moved');
      renameSync(folder.dataDir, moved);
      symlinkSync(moved, folder.dataDir);
      await expect(folder.open({ exclusive: false })).resolves.toMatchObject({ embedded: true });
    });

    it('reports to another account that it may not read the record, not that there is no record', async () => {
      await folder.fill();
      // That account may not enter the folders above the checkout, so root passes it the open folder. Its real path must not be requested.
      const checkout = openSync('.', 'r');
      const at = '/proc/self/fd/3';
      const program = ['--import', `${at}/test/support/typescript.mjs`, `${at}/src/main.ts`];
      const ask = () =>
        spawnSync(
          process.execPath,
          ['--no-warnings', '--preserve-symlinks', '--preserve-symlinks-main', ...program, 'report'],
          {
            uid: 65_534,
            gid: 65_534,
            cwd: '/',
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'pipe', checkout],
            env: { PATH: process.env['PATH'], HINDSIGHT_DATA_DIR: folder.dataDir },
          },
        );
      const open = ask();
      expect(open.stderr).toContain(`This account may not read the record in ${folder.dataDir}: EACCES`);
      expect(open.stderr).toContain('Run Hindsight as root');
      expect(open.status).toBe(1);
      chmodSync(folder.dataDir, 0o700);
      expect(ask().stderr).toContain('This account may not read the record');
      closeSync(checkout);
    });
  }
});
