import type { Held } from '../oracle/held.js';
import type { Decided } from './decide-log.js';

/** What the tables hold otherwise than the oracle says; one line each. */
export function differencesOf(held: Held, decided: Decided): string[] {
  const found: string[] = [];
  const rows = new Map(decided.rows.map((row) => [`${row.node} ${row.sequence}`, row]));
  for (const row of held.rows) {
    const name = `${row.node} ${row.sequence}`;
    const wanted = rows.get(name);
    const isTold = row.kind === 'HEADER' || row.kind === 'DATA';
    const mine = `${isTold ? row.kind : '?'} ${row.daHeight} ${row.evidence} ${row.lineage} ${row.chain}`;
    const theirs = wanted
      ? `${isTold ? wanted.kind : '?'} ${wanted.daHeight} ${wanted.evidence} ${wanted.history} ${wanted.chain ?? ''}`
      : 'no row';
    if (mine !== theirs)
      found.push(`ROW ${name} (${row.status} ${row.kind} ${row.blobCount}): ${mine}, not ${theirs}`);
  }
  const groups = new Map(
    decided.groups
      .filter(
        ({ outcome, isCounted }) => outcome === 'RECONSTRUCTED' || (outcome === 'UNDECIDED' && isCounted),
      )
      .map((group) => [
        `${group.history} ${group.kind} ${group.daHeight}`,
        `${group.outcome} ${group.heights.length} ${group.loss}`,
      ]),
  );
  for (const group of held.groups) {
    const name = `${group.lineage} ${group.kind} ${group.daHeight}`;
    const mine = `${group.evidence} ${group.blobCount} ${group.loss}`;
    if (mine !== groups.get(name)) found.push(`GROUP ${name}: ${mine}, not ${groups.get(name)}`);
    groups.delete(name);
  }
  for (const [name, theirs] of groups) found.push(`GROUP ${name}: none, not ${theirs}`);
  const losses = new Map(decided.losses.map(({ position, min, max }) => [position, `${min} ${max}`]));
  for (const { position, minLost, maxLost } of held.losses) {
    if (`${minLost} ${maxLost}` !== losses.get(position))
      found.push(`LOSS ${position}: ${minLost} ${maxLost}, not ${losses.get(position)}`);
  }
  return found;
}
