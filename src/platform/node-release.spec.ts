import { readFileSync } from 'node:fs';
import { nodeWarning, SAFE_NODES } from './node-release.js';

describe('the warning about an old Node', () => {
  it.each(['22.23.4', '22.24.0', '24.22.1', '24.22.10', '24.23.0', '26.12.1', '26.13.0', '27.0.0', '28.1.0'])(
    'is absent for %s',
    (version) => expect(nodeWarning(version)).toBeUndefined(),
  );

  it.each([
    ['22.23.3', '22.23.4'],
    ['22.13.0', '22.23.4'],
    ['24.14.0', '24.22.1'],
    ['24.22.0', '24.22.1'],
    ['26.12.0', '26.12.1'],
    ['26.2.9', '26.12.1'],
  ])('names for %s the release of its line that fixes it: %s', (version, safe) =>
    expect(nodeWarning(version)).toBe(
      `Node ${version} has a known vulnerability (CVE-2026-111497): use ${safe} or newer`,
    ),
  );

  it.each(['18.20.8', '20.19.0', '20.20.2', '21.7.3', '23.11.1', '25.9.0'])(
    'says that the line of %s is out of support',
    (version) =>
      expect(nodeWarning(version)).toBe(
        `Node ${version} is out of support and gets no more security fixes: use 22.23.4, 24.22.1, 26.12.1 or newer`,
      ),
  );

  it('is about the running Node, by default', () =>
    expect(nodeWarning()).toBe(nodeWarning(process.versions.node)));

  it('names the same releases as README.md and the Dockerfile', () => {
    const readme = readFileSync('README.md', 'utf8');
    for (const release of SAFE_NODES) expect(readme).toContain(release);
    const [, image = ''] = /^FROM node:([\d.]+)-/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
    expect([image, nodeWarning(image)]).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+$/), undefined]);
  });
});
