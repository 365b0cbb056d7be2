import { nodeWarning } from '../platform/node-release.js';

/** For commands that send requests to other servers; a service logs the warning instead. */
export function warnOfOldNode(): void {
  const warning = nodeWarning();
  if (warning !== undefined) process.stderr.write(`hindsight: ${warning}\n`);
}
