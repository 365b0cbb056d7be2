import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BUILT } from '../support/service-process.js';

// A build must exist to be packed; `.ci/run` makes one.
const itIsBuilt = BUILT !== undefined || process.env['CI'] ? it : it.skip;

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

describe('the files of a release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-release-'));
  const files = join(folder, 'release');

  const make = (tag?: string) =>
    spawnSync(process.execPath, [resolve('packaging/release.mjs')], {
      cwd: folder,
      env: { ...process.env, GITHUB_REF_NAME: tag, GITHUB_REPOSITORY: 'Owner/hindsight' },
      encoding: 'utf8',
    });

  beforeAll(() => {
    cpSync('package.json', join(folder, 'package.json'));
    writeFileSync(
      join(folder, 'CHANGELOG.md'),
      `# Changelog\n\n## Unreleased\n\n- Later.\n\n## ${version} - 2026-01-01\n\n### Added\n\n- This.\n\n## 0.0.1\n\n- Before.\n`,
    );
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('are not made for a tag of another version, or without notes', () => {
    expect(make('v9.9.9').stderr).toContain(`The tag is v9.9.9, the version in package.json ${version}.`);
    const path = join(folder, 'CHANGELOG.md');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(`## ${version} `, '## 9.9.9 '));
    expect(make(`v${version}`).stderr).toContain(`CHANGELOG.md has no section for ${version}.`);
    writeFileSync(path, text);
  });

  itIsBuilt('are a program that needs only Node, its list of packages, checksums and notes', () => {
    cpSync('dist', join(folder, 'dist'), { recursive: true });
    expect(make(`v${version}`)).toMatchObject({ status: 0 });
    expect(readdirSync(files)).toEqual([
      'SHA256SUMS',
      `hindsight-${version}.cdx.json`,
      `hindsight-${version}.tgz`,
      'notes.md',
    ]);
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: files, stdio: 'ignore' });
    expect(readFileSync(join(files, 'notes.md'), 'utf8')).toMatch(
      /^### Added\n\n- This\.\n\n### Images\n\n- `ghcr\.io\/owner\/hindsight:([\d.]+)`\n- `ghcr\.io\/owner\/hindsight:\1-embedded`/,
    );

    const unpacked = join(folder, 'empty/dist');
    mkdirSync(unpacked, { recursive: true });
    execFileSync('tar', [
      '-xzf',
      join(files, `hindsight-${version}.tgz`),
      '-C',
      unpacked,
      '--strip-components=1',
    ]);
    const program = ['dist/main.js', '--version'];
    expect(execFileSync(process.execPath, program, { cwd: join(folder, 'empty'), encoding: 'utf8' })).toBe(
      `${version}\n`,
    );
  });
});
