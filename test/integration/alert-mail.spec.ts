import { sendNotice } from '../../src/alerts/send-notice.js';
import type { Alert } from '../../src/domain/alerts/alert-ledger.js';
import type { AlertDestination } from '../../src/domain/alerts/destinations.js';
import { HttpClient } from '../../src/platform/http.js';
import { SmtpSink } from '../support/smtp-sink.js';

const SINCE = Date.UTC(2026, 0, 2, 3, 4, 5);
const ALERT: Alert = {
  id: 'da-failing-00ff',
  rule: 'da-failing',
  severity: 'CRITICAL',
  owner: 'alpha-1',
  chain: 'alpha-1\r\nBcc: all@example.org',
  nodes: ['a'],
  since: SINCE,
  reason: 'the last 5 attempts failed',
};
const RAISED = {
  key: 'da-failing-00ff-raised',
  alert: ALERT,
  status: 'RAISED',
  until: null,
  at: SINCE + 60_000,
} as const;
const RESOLVED = {
  ...RAISED,
  key: 'da-failing-00ff-resolved',
  status: 'RESOLVED',
  until: SINCE + 3_600_000,
} as const;

describe('a notice by mail', () => {
  const http = new HttpClient();
  let sink: SmtpSink;

  beforeAll(async () => {
    sink = await SmtpSink.start();
  });

  afterAll(async () => {
    await http.close();
    await sink?.stop();
  });

  const send = (
    notice: typeof RAISED | typeof RESOLVED,
    login = '',
    signal = new AbortController().signal,
  ) => {
    const destination: AlertDestination = {
      id: 'mail',
      kind: 'email',
      url: `smtp://${login}127.0.0.1:${sink.port}`,
      from: 'hindsight@example.org',
      to: 'ops@example.org',
    };
    return sendNotice(http, destination, notice, Date.now(), signal);
  };

  it('is plain text with the same bytes and Message-ID on each try, and puts nothing from a node into a header', async () => {
    expect(await send(RAISED)).toBeUndefined();
    expect(await send(RAISED)).toBeUndefined();
    const [first = '', second] = sink.mails;
    expect(second).toBe(first);
    expect(first).toMatch(/^Message-ID: <da-failing-00ff-raised@hindsight>\r$/im);
    expect(first).toMatch(/^Date: Fri, 02 Jan 2026 03:05:05 \+0000\r$/m);
    expect(first).toMatch(/^Content-Type: text\/plain/m);
    expect(first).toContain('Since: 2026-01-02 03:04:05 UTC');
    expect(first).not.toMatch(/^Bcc:/m);
    expect(sink.commands.filter((line) => line.startsWith('RCPT'))).toEqual([
      'RCPT TO:<ops@example.org>',
      'RCPT TO:<ops@example.org>',
    ]);
  });

  it('is threaded below the mail that it ends', async () => {
    await send(RESOLVED);
    const mail = sink.mails.at(-1);
    for (const header of ['In-Reply-To', 'References'])
      expect(mail).toMatch(new RegExp(`^${header}: <da-failing-00ff-raised@hindsight>\r$`, 'm'));
  });

  it.each([
    [451, false],
    [503, false],
    [554, true],
  ])('that the server answers with %i is final: %s', async (answer, isFinal) => {
    sink.answer = answer;
    expect(await send(RAISED)).toEqual({ isFinal, detail: `it answered ${answer}` });
    sink.answer = 250;
  });

  it('sends no password to a server without TLS', async () => {
    const before = sink.mails.length;
    const said = sink.commands.length;
    const failure = await send(RAISED, 'user:my-secret@');
    expect(failure?.isFinal).toBe(false);
    expect(failure?.detail).not.toMatch(/my-secret|127\.0\.0\.1/);
    expect(sink.mails).toHaveLength(before);
    expect(sink.commands.slice(said).join()).not.toMatch(/AUTH|my-secret/);
  });

  it('ends on request, even if the server hangs', async () => {
    sink.answer = 'hold';
    const ending = new AbortController();
    const sending = send(RAISED, '', ending.signal);
    ending.abort();
    expect(await sending).toEqual({ isFinal: false, detail: 'EABORT' });
  });
});
