import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { toPrintable, toPrintableJson } from '../domain/printable-text.js';
import { PatientStream } from './patient-stream.js';
import { redactText } from './redact.js';

/** A structured logger: `logger.info({ node: 'alpha' }, 'watching')`. */
export type Logger = PinoLogger;

/** Levels of the log; each includes those before it. */
export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields that are never printed, at the top of a log line and one level below. */
const SECRET_FIELDS = ['password', 'apiKey', 'apiKeys', 'headers', 'authorization', 'cookie', 'token'];

/**
 * Logs to standard error: standard output belongs to the ready line and to what commands print. A terminal gets one line of plain
 * text per entry, anything else one line of JSON. Both contain printable characters only, whatever text they quote.
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
        logger.warn({ lines }, 'this many lines before this one are missing: they could not be written'),
      ),
  );
  return logger;
}

function standardError(onGap: (lines: number) => void): DestinationStream {
  // Reading `process.stderr` also makes Node open it in such a way that a stuck reader blocks nobody.
  const { isTTY } = process.stderr;
  const stream = new PatientStream(2, onGap);
  return isTTY ? { write: (line) => stream.write(toPlainLine(line)) } : stream;
}

const prettify = prettyFactory({
  colorize: false,
  singleLine: true,
  translateTime: 'UTC:HH:MM:ss.l',
  ignore: 'pid,context',
  // A message of several lines must not pass for several entries.
  messageFormat: ({ msg = '', context = '' }) =>
    toPrintable(`${context === '' ? '' : `[${toText(context)}] `}${toText(msg)}`),
});

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Formats one line of JSON as `[12:03:44.120] WARN: node unreachable {"node":"alpha"}`; an error follows on indented lines. */
export function toPlainLine(json: string): string {
  return toPrintableJson(prettify(json));
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
