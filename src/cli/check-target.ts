import { type Command, InvalidArgumentError } from 'commander';
import type { NodeAccess } from '../node-api/node-api.js';
import { UserError } from '../platform/errors.js';
import { redactUrl } from '../platform/redact.js';
import { nodeValue } from '../settings/node.js';
import { requireUrl } from './require-url.js';
import { readSettings } from './setting-options.js';

export interface TargetOptions {
  readonly status?: string;
  readonly service?: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly config?: string;
}

/** Adds the argument and the flags that say how to reach a node. */
export function addTarget(command: Command): Command {
  return command
    .argument(
      '<url>',
      "the node's RPC server, like http://localhost:7331, or the id of a node in the settings",
    )
    .option('--status <url>', 'its status endpoint, like http://localhost:26657')
    .option(
      '--header <name: value>',
      'a header for the RPC server; can be repeated. Every user of this computer can read it: for secrets, give the id of a node',
      collectHeader,
    )
    .option('--config <file>', 'settings file with the node; default: hindsight.yaml, if it exists');
}

function collectHeader(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError("It must be like 'authorization: Bearer …'.");
  }
  return { ...before, [name]: value };
}

/**
 * How to reach the node, as a service would: headers and certificates of the settings included.
 * @throws UserError if it is no address, and no id of a node in the settings
 */
export function findTarget(target: string, options: TargetOptions): NodeAccess {
  const { status, service, header, config } = options;
  const nodes = target.includes('/') ? [] : readSettings({ ...(config && { config }) }).nodes;
  const known = nodes.find(({ id }) => id === target);
  if (known !== undefined) return known;
  if (nodes.length > 0) {
    throw new UserError(
      `${target} is neither an address nor the id of a node in the settings.`,
      `Give an address like http://HOST:PORT, or one of: ${nodes.map(({ id }) => id).join(', ')}.`,
      2,
    );
  }
  requireUrl(target);
  if (status !== undefined) requireUrl(status);
  const { data, error } = nodeValue.safeParse({ rpc: target, status, service, headers: header });
  if (data !== undefined) return data;
  const faults = error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw new UserError(
    `${redactUrl(target)} cannot be checked: ${faults.join('; ')}.`,
    'Run the command with --help to see its options.',
    2,
  );
}
