import { createLogger, NestLogger, toPlainLine } from './logger.js';

const capture = (): { lines: string[]; stream: { write(line: string): void } } => {
  const lines: string[] = [];
  return { lines, stream: { write: (line) => lines.push(line) } };
};

describe('the logger', () => {
  it('writes one line of JSON for each entry, with the name of the level', () => {
    const { lines, stream } = capture();
    createLogger('info', stream).info({ node: 'alpha' }, 'watching');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ level: 'info', node: 'alpha', msg: 'watching' }),
    ]);
  });

  it('prints no secret, neither in a field nor inside a URL', () => {
    const { lines, stream } = capture();
    const logger = createLogger('info', stream);
    logger.info({ apiKey: 's3cret', node: { headers: { authorization: 's3cret' } } }, 'settings');
    logger.error(new Error('cannot reach postgres://me:s3cret@db:5432/x?sslmode=require'));
    expect(lines.join('')).not.toContain('s3cret');
    expect(lines.join('')).toContain('postgres://me:***@db:5432/x');
  });

  it('keeps the context and the stack from Nest', () => {
    const { lines, stream } = capture();
    new NestLogger(createLogger('info', stream)).error('broken', 'Error: broken\n  at x', 'Router');
    expect(JSON.parse(lines.join(''))).toMatchObject({ level: 'error', context: 'Router', msg: 'broken' });
  });

  it('shows a person the time, the level, the message and the fields', () => {
    const json =
      '{"level":"warn","time":"2025-01-02T03:04:05.678Z","pid":1,"node":"alpha","why":"a b","msg":"slow"}';
    expect(toPlainLine(json)).toBe('[03:04:05.678] WARN: slow {"node":"alpha","why":"a b"}\n');
    expect(toPlainLine('{"level":"info","context":"Router","msg":"a\\nb"}')).toBe('INFO: [Router] a b\n');
  });

  it('prints nothing that a terminal obeys, as JSON or as plain text, and loses nothing of it as JSON', () => {
    const { lines, stream } = capture();
    const said = 'x\u001b[2J\u009b31m\u202e\u2066\u007f\u200b\r\nFAKE level=fatal\u001b]0;owned\u0007';
    const error = new Error(said);
    createLogger('info', stream).warn({ node: said, word: 'a\u202eb', err: error }, said);
    const [json = ''] = lines;
    expect(json).toMatch(/^[\x20-\x7e]+\n$/);
    expect(JSON.parse(json)).toMatchObject({ node: said, msg: said, err: { message: said } });
    const plain = toPlainLine(json);
    expect(plain).toMatch(/^[\n\x20-\x7e]+$/);
    expect(plain).toContain('"word":"a\\u202eb"');
    // An entry begins with a time and all further lines are indented, whatever the text.
    const [first = '', ...others] = plain.trimEnd().split('\n');
    expect(first).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: x\?\[2J/);
    expect(others.length).toBeGreaterThan(0);
    expect(others.filter((line) => !line.startsWith('    '))).toEqual([]);
    expect(toPlainLine('no JSON \u001b[2J')).toBe('no JSON \\u001b[2J\n');
  });
});
