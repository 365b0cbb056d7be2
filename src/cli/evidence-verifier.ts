/**
 * The program in a bundle that verifies it, for plain Node. It is stored as text, so that each bundle gets exactly the program of
 * the release. Its hash rule is the rule of `hashEvent`.
 */
export const VERIFIER = String.raw`// Verifies this folder. It needs Node 20 or newer and nothing else: node verify.mjs
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const faults = [];
const EVENTS = 'events.ndjson';
const MANIFEST = 'manifest.json';
const PARTS = ['position', 'stream', 'version', 'type', 'schema', 'observedAtUs', 'recordedAtUs', 'body'];

async function digestOf(name) {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(join(folder, name))) hash.update(piece);
  return hash.digest('hex');
}

function readManifest() {
  try {
    const text = readFileSync(join(folder, MANIFEST), 'utf8');
    const manifest = JSON.parse(text);
    if (typeof manifest !== 'object' || manifest === null) throw new Error('it is not a list of files');
    if (JSON.stringify(manifest, null, 2) + '\n' !== text) faults.push(MANIFEST + ': it is not as it was written');
    return manifest;
  } catch (error) {
    faults.push(MANIFEST + ': it cannot be read (' + error.message + ')');
    return { files: {}, events: 0 };
  }
}

function hashOf(event) {
  const hash = createHash('sha256').update(event.previous, 'hex');
  for (const part of PARTS) {
    const text = String(event[part]);
    hash.update(text.length + ':').update(text);
  }
  return hash.digest('hex');
}

async function checkEvents() {
  const tails = new Map();
  let [events, links, redacted, last] = [0, 0, 0, 0n];
  const lines = createInterface({ input: createReadStream(join(folder, EVENTS)), crlfDelay: Infinity });
  for await (const line of lines) {
    events += 1;
    const where = EVENTS + ', line ' + events;
    try {
      const event = JSON.parse(line);
      if (event.redacted === true) redacted += 1;
      else if (hashOf(event) !== event.hash) faults.push(where + ': its hash does not match its content');
      if (BigInt(event.position) <= last) faults.push(where + ': it is out of order');
      last = BigInt(event.position);
      const tail = tails.get(event.stream);
      if (tail) {
        links += 1;
        if (tail.hash !== event.previous || BigInt(tail.version) + 1n !== BigInt(event.version))
          faults.push(where + ': it does not follow the event before it in its stream');
      }
      tails.set(event.stream, { hash: event.hash, version: event.version });
    } catch (error) {
      faults.push(where + ': it cannot be read (' + error.message + ')');
    }
    if (faults.length > 20) break;
  }
  return { events, links, redacted, tails };
}

const manifest = readManifest();
for (const name of readdirSync(folder))
  if (name !== MANIFEST && !Object.hasOwn(manifest.files ?? {}, name)) faults.push(name + ': ' + MANIFEST + ' does not name it');
for (const [name, digest] of Object.entries(manifest.files ?? {})) {
  const found = await digestOf(name).catch((error) => error.message);
  if (found !== digest) faults.push(name + ': its SHA-256 is not the one of ' + MANIFEST);
}
const { events, links, redacted, tails } = await checkEvents().catch((error) => {
  faults.push(EVENTS + ': ' + error.message);
  return { events: 0, links: 0, redacted: 0, tails: new Map() };
});
if (manifest.format !== 1) faults.push(MANIFEST + ': this program does not know its format');
if (events !== manifest.events) faults.push(MANIFEST + ': it names ' + manifest.events + ' events, there are ' + events);
// Not by process.exit, which would cut what a slow reader has not taken yet.
process.exitCode = faults.length > 0 ? 1 : 0;
for (const fault of faults) console.error('FAULT ' + fault);
if (faults.length === 0) {
  console.log('Verified: ' + Object.keys(manifest.files).length + ' files, the hashes of ' + (events - redacted) + ' events, ' + links + ' links between them.');
  console.log('SHA-256 of ' + MANIFEST + ', to compare with the one that was printed when the bundle was made: ' + (await digestOf(MANIFEST)));
  console.log('Compare the last hash of each stream with that of a log or copy that you trust:');
  for (const [stream, { version, hash }] of tails) console.log('  ' + JSON.stringify(stream) + ' version ' + version + ' ' + hash);
  if (redacted > 0) console.log('Not verified: ' + redacted + ' redacted events. Compare their hashes with those of the whole bundle.');
  console.log('Not verified: signatures of blocks, and events before the first or after the last of a stream.');
}
`;
