import { InvalidArgumentError } from 'commander';

/** Parses a port on the command line; 0 takes a free port. @throws InvalidArgumentError */
export function toPort(text: string): number {
  const port = toCount(text);
  if (port > 65_535) {
    throw new InvalidArgumentError('It must be a port from 0 to 65535.');
  }
  return port;
}

/** Parses a whole number on the command line, of at most nine digits. @throws InvalidArgumentError */
export function toCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number.');
  }
  return Number(text);
}
