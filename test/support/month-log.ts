import { FIRST_HASH, hashEvent } from '../../src/domain/hash-chain.js';
import type { LogLine } from '../../src/event-log/log-lines.js';

/** Five streams; the text has what JSON, NDJSON and a column may stumble over. */
const BODY = '{ "text":\t"é 🦊 \u2028 \\" \\\\ \\ud83d" , "n": 9007199254740993123 }';

/** A log with the same number of events in each of the first months of 2026; the last events have the states of their streams. */
export function* monthLog(months: number, eventsPerMonth: number, label = ''): Generator<LogLine> {
  const hashes = new Map<string, string>();
  const versions = new Map<string, bigint>();
  const total = months * eventsPerMonth;
  for (let index = 0; index < total; index += 1) {
    const month = Math.floor(index / eventsPerMonth);
    const stream = `node-${index % 5}/submissions`;
    const version = (versions.get(stream) ?? 0n) + 1n;
    const recordedAt = BigInt(Date.UTC(2026, month, 1) + (index % eventsPerMonth)) * 1_000n + 7n;
    const event = {
      position: BigInt(index + 1),
      stream,
      version,
      type: 'NodeRetired',
      schema: 1,
      observedAt: recordedAt - 5n,
      recordedAt,
    };
    const bodyText = BODY.replace('é', `${label}${index}`);
    const hash = hashEvent(hashes.get(stream) ?? FIRST_HASH, { ...event, bodyText });
    hashes.set(stream, hash);
    versions.set(stream, version);
    const state = index < total - 5 ? null : index % 5 === 0 ? 'null' : `{ "after": ${version} }`;
    yield { place: `event ${index + 1}`, row: { ...event, hash, body: bodyText }, state };
  }
}
