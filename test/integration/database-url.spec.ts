import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../src/cli/connect.js';
import { SystemClock } from '../../src/platform/clock.js';
import { CLUSTER_ROLE, readPassword } from '../../src/platform/embedded-postgres/cluster.js';
import { placeCluster } from '../../src/platform/embedded-postgres/home.js';
import { signalPostmaster } from '../../src/platform/embedded-postgres/postmaster.js';
import { ensureServer, type RunningServer } from '../../src/platform/embedded-postgres/server.js';
import { loadSettings } from '../../src/settings/settings.js';
import { Certificates } from '../support/certificates.js';
import { giveCluster } from '../support/made-cluster.js';

/** The address of a database server with TLS, as hosts hand it out. */
describe('DATABASE_URL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-tls-'));
  const certificates = new Certificates(folder);
  let server: RunningServer;
  let password: string;

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    certificates.makeAuthority('ours');
    certificates.makeAuthority('another');
    certificates.make('server', 'ours', 'IP:127.0.0.1');
    const dataDir = join(folder, 'data');
    await giveCluster(dataDir);
    const cluster = placeCluster(dataDir);
    const key = certificates.file('server.key');
    chmodSync(key, 0o600);
    if (cluster.user !== undefined) chownSync(key, cluster.user.uid, cluster.user.gid);
    password = readPassword(cluster);
    const settings = { ssl: 'on', ssl_cert_file: certificates.file('server.pem'), ssl_key_file: key };
    server = await ensureServer(cluster, { clock: new SystemClock(), settings });
  });
  afterAll(() => {
    signalPostmaster(server.pid, 'SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  });

  /** Whether a connection with the parameters of a URL is encrypted. */
  async function isEncrypted(parameters: string, host = '127.0.0.1', login?: string): Promise<boolean> {
    const given = `postgres://${login ?? `${CLUSTER_ROLE}:${password}`}@${host}:${server.port}/postgres?${parameters}`;
    const { databaseUrl = '' } = loadSettings({ flags: { databaseUrl: given }, env: {}, file: undefined });
    const dataSource = await connect(databaseUrl, 2);
    try {
      const [row] = await dataSource.query<{ ssl: boolean }[]>(
        'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      );
      return row?.ssl ?? false;
    } finally {
      await dataSource.destroy();
    }
  }

  const root = (name: string): string =>
    `sslrootcert=${encodeURIComponent(certificates.file(`${name}.pem`))}`;

  it('with sslmode=require encrypts, and trusts any certificate', async () => {
    expect(await isEncrypted('sslmode=require')).toBe(true);
    expect(await isEncrypted('sslmode=require', 'localhost')).toBe(true);
    expect(await isEncrypted('sslmode=no-verify')).toBe(true);
    expect(await isEncrypted('sslmode=disable')).toBe(false);
    expect(await isEncrypted('')).toBe(false);
  });

  it('with a root certificate trusts only what it signed', async () => {
    for (const mode of ['require', 'verify-ca']) {
      expect(await isEncrypted(`sslmode=${mode}&${root('ours')}`)).toBe(true);
      expect(await isEncrypted(`sslmode=${mode}&${root('ours')}`, 'localhost')).toBe(true);
      await expect(isEncrypted(`sslmode=${mode}&${root('another')}`)).rejects.toThrow('unable to verify');
    }
  });

  it('with sslmode=verify-full compares the name as well', async () => {
    expect(await isEncrypted(`sslmode=verify-full&${root('ours')}`)).toBe(true);
    await expect(isEncrypted(`sslmode=verify-full&${root('ours')}`, 'localhost')).rejects.toMatchObject({
      message: expect.stringContaining("does not match certificate's altnames") as unknown,
      remedy: expect.stringContaining('Use a name of') as unknown,
    });
    for (const parameters of [
      'sslmode=verify-full',
      'sslrootcert=system',
      'sslmode=verify-full&sslrootcert=system',
    ])
      await expect(isEncrypted(parameters)).rejects.toMatchObject({
        message: expect.stringContaining('unable to verify') as unknown,
        remedy: expect.stringContaining('sslrootcert=FILE') as unknown,
      });
  });

  it('is refused with what libpq does not have', async () => {
    await expect(isEncrypted('sslmode=allow')).rejects.toThrow('must have an sslmode of disable, prefer');
    await expect(isEncrypted('sslmode=verify-ca')).rejects.toThrow('must have sslrootcert=FILE');
    await expect(isEncrypted('sslmode=require&sslrootcert=system')).rejects.toThrow('sslmode=verify-full');
    await expect(isEncrypted('sslmode=require&sslrootcert=/none.pem')).rejects.toMatchObject({
      name: 'UserError',
      message: expect.stringContaining('/none.pem') as unknown,
    });
  });

  it('takes a password with any characters, percent-encoded', async () => {
    const odd = 'a%41 b@/?#:%';
    const owner = `postgres://${CLUSTER_ROLE}:${password}@127.0.0.1:${server.port}/postgres`;
    const dataSource = await connect(owner, 2);
    await dataSource.query(`CREATE ROLE odd LOGIN PASSWORD '${odd}'`);
    await dataSource.destroy();
    expect(await isEncrypted('sslmode=require', '127.0.0.1', `odd:${encodeURIComponent(odd)}`)).toBe(true);
  });
});
