import { findLastWords } from './server-log.js';

const LOST_AT = Date.parse('2026-05-04T10:00:30.000Z');

const log = (...lines: string[]): string => lines.map((line) => `2026-05-04 10:00:2${line}\n`).join('');

describe('the last words of a server', () => {
  it.each([
    [
      'a full disk',
      log(
        '1.000 UTC [7] PANIC:  could not write to file "pg_wal/xlogtemp.7": No space left on device',
        '1.100 UTC [1] LOG:  startup process (PID 7) was terminated by signal 6: Aborted',
        '1.200 UTC [1] LOG:  aborting startup due to startup process failure',
        '1.300 UTC [1] LOG:  database system is shut down',
      ),
      'could not write to file "pg_wal/xlogtemp.7": No space left on device',
    ],
    [
      'a process that was killed, whose connections complain afterwards',
      log(
        '1.000 UTC [1] LOG:  client backend (PID 9) was terminated by signal 9: Killed',
        '1.100 UTC [1] LOG:  terminating any other active server processes',
        '1.200 UTC [8] FATAL:  the database system is in recovery mode',
      ),
      'client backend (PID 9) was terminated by signal 9: Killed',
    ],
    [
      'memory that ran out',
      log('1.000 UTC [1] LOG:  could not fork client backend: Cannot allocate memory'),
      'could not fork client backend: Cannot allocate memory',
    ],
    [
      'somebody who stopped it',
      log(
        '1.000 UTC [1] LOG:  received fast shutdown request',
        '1.100 UTC [9] FATAL:  terminating connection due to administrator command',
        '1.200 UTC [1] LOG:  database system is shut down',
      ),
      'received fast shutdown request',
    ],
  ])('name %s', (_, text, reason) => {
    expect(findLastWords(text, LOST_AT)).toBe(reason);
  });

  it('are not those of the server before it, however lately that was stopped', () => {
    const words = log(
      '1.000 UTC [1] LOG:  received fast shutdown request',
      '2.000 UTC [1] LOG:  database system is shut down',
      '3.000 UTC [2] LOG:  starting PostgreSQL 18.4 on x86_64-pc-linux-gnu, 64-bit',
      '9.000 UTC [9] FATAL:  terminating connection due to unexpected postmaster exit',
    );
    expect(findLastWords(words, LOST_AT)).toBeUndefined();
    // A server that begins afterwards is another one, too.
    expect(findLastWords(words, Date.parse('2026-05-04T10:00:22.500Z'))).toBe(
      'received fast shutdown request',
    );
  });

  it('are not those of earlier trouble, nor lines without a time', () => {
    const before = '2026-05-04 09:58:00.000 UTC [7] PANIC:  could not write: No space left on device\n';
    expect(findLastWords(`${before}PANIC of whoever\n`, LOST_AT)).toBeUndefined();
    expect(findLastWords(before, LOST_AT - 120_000)).toContain('No space left');
  });
});
