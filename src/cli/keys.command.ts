import { randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { hashKey, isKeyName, KEY_BYTES, KEY_SCOPES, toKeyText, type KeyScope } from '../api/keys/key-text.js';
import { UserError } from '../platform/errors.js';
import { addJsonOption, type JsonOptions } from './json.js';
import { keysToJson, printKeys } from './key-table.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

interface AddOptions extends SettingOptions {
  readonly scope: KeyScope;
}

/** `hindsight keys add`, `list` and `revoke`: manages API keys. Works with or without a running service. */
export function define(keys: Command): void {
  keys.helpCommand(false);
  const list = keys
    .command('list', { isDefault: true })
    .description('list the names of the keys, active keys first; the keys themselves are never shown');
  addDatabaseOptions(addJsonOption(list)).action(listAll);
  const add = keys
    .command('add')
    .description('make a key and print it, only this once; a running service accepts it within 5 s')
    .argument('<name>', 'name of the key in events and limits: 1 to 64 of A-Z a-z 0-9 . _ -', readName)
    .addOption(
      new Option(
        '--scope <SCOPE>',
        'read: query; write: also set prices, import fees, request jobs; admin: everything',
      )
        .choices(KEY_SCOPES)
        .makeOptionMandatory(),
    );
  addDatabaseOptions(add).action(addOne);
  const revoke = keys
    .command('revoke')
    .description('revoke a key; a running service refuses it within 5 s')
    .argument('<name>', 'its name');
  addDatabaseOptions(revoke).action(revokeOne);
}

async function addOne(name: string, options: AddOptions): Promise<void> {
  const { scope } = options;
  const { addKey } = await import('../api/keys/stored-keys.js');
  const text = toKeyText(randomBytes(KEY_BYTES));
  await withDatabase(options, ({ dataSource }) => addKey(dataSource, { name, scope, hash: hashKey(text) }));
  process.stderr.write(`The key ${name} (${scope}) is shown only once: Hindsight keeps only its hash.\n`);
  process.stdout.write(`${text}\n`);
}

async function listAll(options: SettingOptions & JsonOptions): Promise<void> {
  const { listKeys } = await import('../api/keys/stored-keys.js');
  const list = await withDatabase(options, ({ dataSource }) => listKeys(dataSource));
  process.stdout.write(options.json ? keysToJson(list) : printKeys(list));
}

async function revokeOne(name: string, options: SettingOptions): Promise<void> {
  const { revokeKey } = await import('../api/keys/stored-keys.js');
  const isRevoked = await withDatabase(options, ({ dataSource }) => revokeKey(dataSource, name));
  if (!isRevoked) {
    throw new UserError(
      `There is no active key called ${JSON.stringify(name.slice(0, 64))}.`,
      '`hindsight keys list` shows all keys.',
      2,
    );
  }
  process.stdout.write(`Revoked ${name}. A running service refuses it within 5 s.\n`);
}

function readName(text: string): string {
  if (isKeyName(text)) return text;
  throw new InvalidArgumentError(
    'It must have 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit; the names settings and loopback are reserved.',
  );
}
