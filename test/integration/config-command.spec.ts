import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHere } from '../support/command-here.js';

describe('hindsight config check', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-config-'));
  const place = { dataDir: folder, databaseUrl: 'postgres://me:s3cret@db/x' };
  const check = (yaml: string) => {
    const file = join(folder, 'ours.yaml');
    writeFileSync(file, yaml);
    return runHere(['config', 'check', '--config', file], place);
  };
  afterAll(() => rmSync(folder, { recursive: true }));

  it('prints what would be used, and where it is from', async () => {
    const { code, out, error } = await check('port: 4401\nnodes: [{ id: a, rpc: http://a }]\n');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toContain(`port: 4401 # ${join(folder, 'ours.yaml')} line 1\n`);
    expect(out).toContain('databaseUrl: postgres://me:***@db/x # --database-url\n');
    expect(out).toContain('rateLimit: "6000" # default\n');
  });

  it('lists all faults, with the code of wrong settings', async () => {
    const { code, out, error } = await check('port: x\nhots: a\n');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toMatch(
      /^hindsight: Wrong settings: .*line 2: hots is unknown.*line 1: port must be.*\n.*\n$/,
    );
    expect((await check('port: 1\n')).error).toContain('no node is given');
  });
});
