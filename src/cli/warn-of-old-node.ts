import { nodeWarning } from '../platform/node-release.js';

/** For commands that ask servers of others; a service says it in its log. */
export function warnOfOldNode(): void {
  const warning = nodeWarning();
  if (warning !== undefined) process.stderr.write(`hindsight: ${warning}\n`);
}
