import { explainMaking } from './explain-making.js';

describe('a folder that can take no database', () => {
  it.each([
    ['ENOSPC: no space left on device, write', 'Free space'],
    ['FATAL: could not write to file "pg_wal/xlogtemp.1": No space left on device', 'Free space'],
    ["EROFS: read-only file system, mkdir '/d'", 'on a file system that can be written to'],
    ["EACCES: permission denied, mkdir '/d'", 'Give this account the right'],
    [
      'initdb: error: could not change permissions of directory "/d": Operation not permitted',
      'Give this account',
    ],
    ['initdb: could not look up effective user ID 12345: user does not exist', 'account of /etc/passwd'],
    ["ENOTDIR: not a directory, mkdir '/d'", 'Choose another --data-dir. Or'],
  ])('is explained by its cause: %s', (reason, remedy) => {
    const error = explainMaking('/d', new Error(reason));
    expect(error.message).toBe(`Cannot make a database in /d: ${reason}`);
    expect(error.remedy).toContain(remedy);
    expect(error.remedy).toContain('DATABASE_URL');
  });
});
