import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { hidesSomething, toPrintable, toPrintableJson, toPrintableLines } from '../domain/printable-text.js';
import { PatientStream } from './patient-stream.js';
import { redactText } from './redact.js';

/** A structured logger: `logger.info({ node: 'alpha' }, 'watching')`. */
export type Logger = PinoLogger;

/** How much is logged; each level includes those before it. */
export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields that are never printed, at the top of a log line and one level below. */
const SECRET_FIELDS = ['password', 'apiKey', 'apiKeys', 'headers', 'authorization', 'cookie', 'token'];

/**
 * Logs to standard error: standard output belongs to the ready line and to what commands print. A terminal gets one
 * line of plain text for each entry, anything else one line of JSON. Both are printable, whoever is quoted in them.
 */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const logger: Logger = pino(
    {
      level,
      base: { pid: process.pid },
      redact: { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]), censor: '***' },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: (line) => toPrintableJson(redactText(line)) },
    },
    destination ??
      standardError((lines) =>
        logger.warn({ lines }, 'so many lines before this are missing, they could not be written'),
      ),
  );
  return logger;
}

function standardError(onGap: (lines: number) => void): DestinationStream {
  // Whoever asks for `process.stderr` also makes Node open it in such a way that a reader who stands still blocks nobody.
  const { isTTY } = process.stderr;
  const stream = new PatientStream(2, onGap);
  return isTTY ? { write: (line) => stream.write(toPlainLine(line)) } : stream;
}

/** `12:03:44.120 WARN  node unreachable  node=alpha` of one line of JSON; an error's stack follows on lines of its own. */
export function toPlainLine(json: string): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(json) as Record<string, unknown>;
  } catch {
    return `${toPrintableLines(json.trimEnd())}\n`;
  }
  const { level, time, msg, err, pid: _pid, context, ...fields } = entry;
  const head = [String(time).slice(11, 23), String(level).toUpperCase().padEnd(5)];
  if (context !== undefined) head.push(`[${toWord(context)}]`);
  const tail = Object.entries(fields).map(([name, value]) => `${name}=${toWord(value)}`);
  const line = [
    ...head,
    typeof msg === 'string' ? toPrintable(msg) : '',
    ...(tail.length > 0 ? ['', ...tail] : []),
  ].join(' ');
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? String(err.stack) : '';
  return `${[line, ...(stack === '' ? [] : toStackLines(stack))].join('\n')}\n`;
}

/** All indented, so that no line of a message passes for an entry of the log. */
function toStackLines(stack: string): string[] {
  return stack.split('\n').map((line) => `    ${toPrintable(line.trim())}`);
}

function toWord(value: unknown): string {
  const isWord = typeof value === 'string' && /^[^\s"=]+$/.test(value) && !hidesSomething(value);
  return isWord ? value : toPrintableJson(JSON.stringify(value));
}

/** Lets Nest log through the same logger. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  /** Nest gives the context as the last argument and, for errors, a stack before it. */
  private write(level: Exclude<LogLevel, 'silent'>, message: unknown, rest: unknown[]): void {
    const context = rest.at(-1);
    const stack = rest.length > 1 ? rest[0] : undefined;
    const fields = { ...(context !== undefined && { context }), ...(stack !== undefined && { stack }) };
    if (message instanceof Error) this.logger[level]({ ...fields, err: message }, message.message);
    else if (typeof message === 'string') this.logger[level](fields, message);
    else this.logger[level]({ ...fields, detail: message });
  }
}
