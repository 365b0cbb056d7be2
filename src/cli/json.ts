import { type Command, Option } from 'commander';
import { toPrintableJson } from '../domain/printable-text.js';
import { formatTime, microsToNanos, type Micros } from '../domain/time.js';

export interface JsonOptions {
  readonly json?: boolean;
}

/** Adds `--json` to a command that prints text for people otherwise. */
export function addJsonOption(command: Command): Command {
  return command.addOption(new Option('--json', 'print JSON, for programs'));
}

/** A value as JSON; whole numbers of 64 bits become texts. */
export function toJsonText(value: unknown): string {
  const text = JSON.stringify(
    value,
    (_, member: unknown) => (typeof member === 'bigint' ? String(member) : member),
    2,
  );
  return `${toPrintableJson(text)}\n`;
}

/** ISO 8601, UTC; null stays null. */
export function isoOf(us: Micros | null): string | null {
  return us === null ? null : formatTime(microsToNanos(us));
}
