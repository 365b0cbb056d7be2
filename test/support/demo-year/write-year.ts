// Writes the demo's year for the program; `npm run build` runs it, and the tests where the file is missing or old:
//   node --no-warnings --import ./test/support/typescript.mjs test/support/demo-year/write-year.ts
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { formatTime, microsToNanos } from '../../../src/domain/time.js';
import { makeUpYear } from './made-up-year.js';
import { toLog, type YearLine } from './year-log.js';

const FILE = 'dist/demo-year.ndjson.gz';
/** Another seed makes other figures than those in docs/. */
const SEED = 'hindsight demo';

const lines = [...toLog(await makeUpYear(SEED))].map(toText);
mkdirSync('dist', { recursive: true });
writeFileSync(`${FILE}.part`, gzipSync(lines.join('')));
renameSync(`${FILE}.part`, FILE);

/** A line of `hindsight export events --format ndjson`. */
function toText({ row, state }: YearLine): string {
  const { position, version, observedAt, recordedAt, ...same } = row;
  const time = (at: bigint): string => formatTime(microsToNanos(at), 6);
  const line = { position: Number(position), version: Number(version), ...same, state };
  return `${JSON.stringify({ ...line, observed_at: time(observedAt), recorded_at: time(recordedAt) })}\n`;
}
