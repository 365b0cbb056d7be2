import { InvalidArgumentError } from 'commander';

/** A port on the command line; 0 for a free one. @throws InvalidArgumentError */
export function toPort(text: string): number {
  const port = toCount(text);
  if (port > 65_535) {
    throw new InvalidArgumentError('It must be a port from 0 to 65535.');
  }
  return port;
}

/** A whole number on the command line, of nine digits at most. @throws InvalidArgumentError */
export function toCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number.');
  }
  return Number(text);
}
