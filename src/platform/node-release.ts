/** Supported Node lines, each with its first release without CVE-2026-111497, which lets a Brotli body run code. */
export const SAFE_NODES = ['22.23.4', '24.22.1', '26.12.1'] as const;

/** The warning for a Node version (`20.20.2`) with known vulnerabilities; undefined without. */
export function nodeWarning(version: string = process.versions.node): string | undefined {
  const running = toNumbers(version);
  const newest = toNumbers(SAFE_NODES[SAFE_NODES.length - 1] ?? '');
  if (running[0] > newest[0]) return undefined;
  const safe = SAFE_NODES.find((release) => toNumbers(release)[0] === running[0]);
  if (safe === undefined) {
    return `Node ${version} is out of support and gets no more security fixes: use ${SAFE_NODES.join(', ')} or newer`;
  }
  const [, minor, patch] = toNumbers(safe);
  const isSafe = running[1] > minor || (running[1] === minor && running[2] >= patch);
  return isSafe
    ? undefined
    : `Node ${version} has a known vulnerability (CVE-2026-111497): use ${safe} or newer`;
}

function toNumbers(version: string): [major: number, minor: number, patch: number] {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return [major, minor, patch];
}
