import type { Held, HeldChain, HeldRow } from './held.js';
import type { Decided, RowOutcome } from './decide-log.js';

/**
 * Differences between the tables and the oracle; one line each.
 *
 * @param isPast compares past knowledge: a row without a history has its present chain
 */
export function differencesOf(held: Held, decided: Decided, isPast = false): string[] {
  return [
    ...differ('ROW', rowsHeld(held, isPast), rowsDecided(decided, isPast)),
    ...differ('GROUP', groupsHeld(held), groupsDecided(decided)),
    ...differ('LOSS', lossesHeld(held), lossesDecided(decided)),
  ];
}

/**
 * Differences between the figures of chains and their rows. An attempt counts once, whichever nodes report it; its blobs and
 * bytes count if it landed or says so. A group of blobs that no row certainly carried counts once.
 */
export function differencesOfChains(chains: readonly HeldChain[], held: Held, decided: Decided): string[] {
  const rowOf = new Map(held.rows.map((row) => [`${row.node} ${row.sequence}`, row]));
  const wanted = decided.chains.map(({ chain }): [string, string] => {
    const attempts = new Map<string, bigint[]>();
    for (const { attempt, evidence, node, sequence, chain: of } of decided.rows) {
      const row = rowOf.get(`${node} ${sequence}`);
      if (of !== chain || !row) continue;
      const isPaid = row.status === 'SUCCESS' || evidence === 'CONFIRMED';
      if (isPaid || !attempts.has(attempt)) attempts.set(attempt, isPaid ? sizeOf(row) : []);
    }
    const groups = held.groups.filter(({ lineage }) => lineage.startsWith(`${chain}/`));
    const all = [...attempts.values(), ...groups.map(sizeOf)];
    const [blobs, bytes] = [0, 1].map((of) => all.reduce((sum, sizes) => sum + (sizes[of] ?? 0n), 0n));
    return [chain, `${attempts.size} attempts, ${blobs} blobs, ${bytes} bytes`];
  });
  const figures = chains.map(({ chain, attempts, blobs, bytes }): [string, string] => [
    chain,
    `${attempts} attempts, ${blobs} blobs, ${bytes} bytes`,
  ]);
  return differ(
    'CHAIN',
    figures,
    wanted.filter(([, said]) => !said.startsWith('0 attempts, 0 blobs')),
  );
}

type Named = readonly (readonly [name: string, said: string])[];

function differ(what: string, mine: Named, wanted: Named): string[] {
  const theirs = new Map(wanted);
  const found = mine.flatMap(([name, said]) => {
    const other = theirs.get(name);
    theirs.delete(name);
    return said === other ? [] : [`${what} ${name}: ${said}, not ${other ?? 'any'}`];
  });
  return [...found, ...[...theirs].map(([name, said]) => `${what} ${name}: none, not ${said}`)];
}

function rowsHeld({ rows }: Held, isPast: boolean): Named {
  return rows.map((row) => [
    `${row.node} ${row.sequence}`,
    `${kindOf(row)} ${row.daHeight} ${row.evidence} ${row.lineage}${isPast ? '' : ` ${row.chain}`}`,
  ]);
}

function rowsDecided({ rows }: Decided, isPast: boolean): Named {
  return rows.map((row) => [
    `${row.node} ${row.sequence}`,
    `${kindOf(row)} ${row.daHeight} ${row.evidence} ${row.history}${isPast ? '' : ` ${row.chain ?? ''}`}`,
  ]);
}

/** The tables say more than matters here about batches of both kinds or of an unreported kind. */
function kindOf({ kind }: HeldRow | RowOutcome): string {
  return kind === 'HEADER' || kind === 'DATA' ? kind : '?';
}

function groupsHeld({ groups }: Held): Named {
  return groups.map((group) => [
    `${group.lineage} ${group.kind} ${group.daHeight}`,
    `${group.evidence} ${group.blobCount} ${group.loss}`,
  ]);
}

function groupsDecided({ groups }: Decided): Named {
  const stored = groups.filter(({ outcome, isCounted }) => outcome !== 'NOT_YET' && isCounted);
  return stored.map((group) => [
    `${group.history} ${group.kind} ${group.daHeight}`,
    `${group.outcome} ${group.heights.length} ${group.loss}`,
  ]);
}

function lossesHeld({ losses }: Held): Named {
  return losses.map(({ node, position, minLost, maxLost }) => [
    `${node} ${position}`,
    `${minLost} ${maxLost}`,
  ]);
}

function lossesDecided({ losses }: Decided): Named {
  return losses.map(({ node, position, min, max }) => [`${node} ${position}`, `${min} ${max}`]);
}

function sizeOf({ blobCount, sizeBytes }: { blobCount: number | null; sizeBytes: bigint | null }): bigint[] {
  return [BigInt(blobCount ?? 0), sizeBytes ?? 0n];
}
