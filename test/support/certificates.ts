import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Makes certificates with `openssl` in a folder. Each is `NAME.pem` with the key `NAME.key`. */
export class Certificates {
  constructor(private readonly folder: string) {}

  file(name: string): string {
    return join(this.folder, name);
  }

  /** A certificate authority; its own issuer. */
  makeAuthority(name: string): void {
    const subject = ['-subj', `/CN=${name}`, '-days', '30'];
    this.run(
      'req',
      '-x509',
      ...newKey(this.file(`${name}.key`)),
      ...subject,
      '-out',
      this.file(`${name}.pem`),
    );
  }

  /**
   * A certificate that an authority signed, for a server or a client.
   * @param names as `IP:127.0.0.1` or `DNS:db.example`
   * @param days 0 for a certificate that has expired at once
   */
  make(name: string, authority: string, names: string, days = 30): void {
    const [request, extensions] = [this.file(`${name}.csr`), this.file(`${name}.ext`)];
    writeFileSync(extensions, `subjectAltName=${names}\n`);
    this.run('req', ...newKey(this.file(`${name}.key`)), '-subj', `/CN=${name}`, '-out', request);
    const signer = ['-CA', this.file(`${authority}.pem`), '-CAkey', this.file(`${authority}.key`)];
    const form = ['-CAcreateserial', '-days', String(days), '-extfile', extensions];
    this.run('x509', '-req', '-in', request, ...signer, ...form, '-out', this.file(`${name}.pem`));
  }

  private run(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.folder, stdio: 'pipe' });
  }
}

function newKey(file: string): string[] {
  return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', file];
}
