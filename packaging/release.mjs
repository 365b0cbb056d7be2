import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a release, made from `dist`: the package, the list of what is bundled in it, their checksums, and the notes. */
const FOLDER = 'release';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const tag = process.env['GITHUB_REF_NAME'];
if (tag !== undefined && tag !== `v${version}`)
  throw new Error(`The tag is ${tag}, the version in package.json ${version}.`);
const notes = readNotes();

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER);
const files = [`hindsight-${version}.tgz`, `hindsight-${version}.cdx.json`];
const [{ filename }] = JSON.parse(
  execFileSync('npm', ['pack', './dist', '--json', '--pack-destination', FOLDER], { encoding: 'utf8' }),
);
renameSync(join(FOLDER, filename), join(FOLDER, files[0]));
copyFileSync('dist/sbom.cdx.json', join(FOLDER, files[1]));
writeFileSync(join(FOLDER, 'SHA256SUMS'), files.map((name) => `${sumOf(name)}  ${name}\n`).join(''));
writeFileSync(join(FOLDER, 'notes.md'), `${notes.trimEnd()}\n\n${describeImages()}`);

/** The section of this version in CHANGELOG.md. */
function readNotes() {
  const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
  const section = sections.find((text) => text.split(/\s/)[0] === version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version}.`);
  return section.slice(section.indexOf('\n')).trimStart();
}

/** The images, as `.ci/push-images` names them. */
function describeImages() {
  const image = `ghcr.io/${(process.env['GITHUB_REPOSITORY'] ?? 'owner/hindsight').toLowerCase()}:${version}`;
  return `### Images\n\n- \`${image}\`\n- \`${image}-embedded\`, with a Postgres in it\n\ndocs/installing.md says how to use them.\n`;
}

function sumOf(name) {
  return createHash('sha256')
    .update(readFileSync(join(FOLDER, name)))
    .digest('hex');
}
