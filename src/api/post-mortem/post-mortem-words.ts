import { duration } from '../../domain/health/health-rule.js';
import { missingInWords } from '../../domain/health/coverage-line.js';
import { incidentTitle } from '../../domain/health/trouble.js';
import { remedyOf, troubleWords } from '../../domain/health/trouble-words.js';
import { formatTime, microsToNanos, type Micros } from '../../domain/time.js';
import type { PostMortem } from './post-mortem-data.js';

// Texts that all formats of a post-mortem share. Texts of nodes are included as sent: each format escapes them in its own way.

/** Title: the worst state, and what it affects. */
export function titleOf({ node, nodes, chain, severity, subject }: PostMortem): string {
  const all = nodes.map((nodeId) => ({ nodeId }));
  return `${severity}: ${incidentTitle({ nodeId: node, nodes: all, chain, subject })}`;
}

/** Outcome; empty if unknown. */
export function endOf({ endReason }: PostMortem): string[] {
  return endReason === null ? [] : [`Outcome: ${endReason}`];
}

/** Nodes of the incident, and what its figures cover then; empty for one node. */
export function nodesOf({ nodes, chain }: PostMortem): string[] {
  if (nodes.length < 2) return [];
  return [
    `Nodes: ${nodes.join(', ')}. Figures are those of chain ${chain ?? '?'}: an attempt that several nodes show counts once, and a block waits until the first node of the chain includes it.`,
  ];
}

/** Start of the figures; empty if it is the first sign. */
export function figuresFrom({ fromUs, figuresFromUs }: PostMortem): string[] {
  return figuresFromUs === fromUs
    ? []
    : [`Figures cover the last 31 days, since ${secondOf(figuresFromUs)}.`];
}

/** Acknowledgements, with author and time. */
export function seenBy({ acknowledgements, acknowledgementCount }: PostMortem): string[] {
  const { length } = acknowledgements;
  return [
    ...acknowledgements.map(
      ({ by, note, atUs }) => `Acknowledged by ${by} at ${secondOf(atUs)}${note === '' ? '.' : `: ${note}`}`,
    ),
    ...(acknowledgementCount > length
      ? [`Acknowledged ${acknowledgementCount} times; the first ${length} are listed.`]
      : []),
  ];
}

/** Time of the post-mortem, and the time of its last record. For an interval, trouble may have begun earlier or lasted longer. */
export function headOf({ id, fromUs, toUs, isOver, knownAtUs }: PostMortem): string {
  const length = duration(Number((toUs - fromUs) / 1_000n));
  const ended = isOver ? `over at ${secondOf(toUs)} after ${length}` : `ongoing for ${length}`;
  const ofTime =
    id === null
      ? `Covers the ${length} from ${secondOf(fromUs)} to ${secondOf(toUs)}; trouble may have begun earlier, and may have lasted longer`
      : `Since ${secondOf(fromUs)}, ${ended}`;
  return `${ofTime}. Based on records up to ${secondOf(knownAtUs)}.`;
}

/** Trouble at the worst: the last reason of each rule in the worst state, with what it means and what to do. */
export function worstOf({ states, severity, component, worst, figures, isOver }: PostMortem): string[] {
  const found = states.filter(({ state }) => state === severity);
  const shown = found.length === 0 && worst ? [worst] : found;
  const rules = [...new Set(shown.map(({ rule }) => rule))];
  if (rules.length === 0) return ['Health unknown.'];
  return rules.flatMap((rule) => {
    const words = troubleWords(component, rule);
    const remedy = remedyOf(component, rule, { causes: figures.causes, isOpen: !isOver });
    // The last reason counts the failures of all of them.
    const reason = worst?.rule === rule ? worst.reason : shown.findLast((one) => one.rule === rule)?.reason;
    return [reason ?? '', ...(words ? [words.means, `What to do: ${remedy ?? words.remedy}`] : [])];
  });
}

/** Causes of failures, each with a remedy. */
export function causesOf({ figures }: PostMortem): string[] {
  return figures.causes.map(
    ({ cause, count, firstUs, lastUs }) =>
      `${cause.title} ${count} ${count === 1n ? `failure at ${secondOf(firstUs)}` : `failures from ${secondOf(firstUs)} to ${secondOf(lastUs)}`}. ${cause.remedy}`,
  );
}

/** Claims, for how long each was false, and the claiming nodes if the incident has several. */
export function claimsOf({ figures, nodes }: PostMortem): string[] {
  return figures.claims.map(({ claim, falseMinMs, falseMaxMs, nodes: by }) => {
    const [least, most] = [duration(falseMinMs), duration(falseMaxMs)];
    const verdict =
      falseMaxMs === 0
        ? 'not seen to be false'
        : `false for ${least === most ? least : `${least} to ${most}`}`;
    return `"${claim}"${nodes.length > 1 ? ` (${by.join(', ')})` : ''}: ${verdict}.`;
  });
}

/** Timeline: each entry with its event, in the order of time. */
export function timelineOf({
  states,
  holes,
  leaderChanges,
  acknowledgements,
  figures,
  nodes,
}: PostMortem): { readonly atUs: Micros; readonly position: bigint; readonly what: string }[] {
  const at = (node: string): string => (nodes.length > 1 ? `${node}: ` : '');
  return [
    ...states.map(({ node, fromUs, state, reason, position }) => ({
      atUs: fromUs,
      position,
      what: `${at(node)}${state}: ${reason}`,
    })),
    ...holes.map(({ node, toUs, kind, minLost, maxLost, position }) => ({
      atUs: toUs,
      position,
      what: `${at(node)}${kind === 'RESET' ? 'List emptied, as after a restart' : `Gap (${kind.toLowerCase()})`}: ${missingInWords(minLost, maxLost)}`,
    })),
    ...leaderChanges.map(({ node, fromUs, leads, position }) => ({
      atUs: fromUs,
      position,
      what: `${at(node)}${leads ? 'Leads its chain: submits from now on' : 'No longer leads its chain: another node submits'}`,
    })),
    ...acknowledgements.map(({ by, atUs, position }) => ({ atUs, position, what: `Acknowledged by ${by}` })),
    ...figures.causes.flatMap(({ cause, count, firstUs, firstPosition, lastUs, lastPosition }) => [
      { atUs: firstUs, position: firstPosition, what: `First failure: ${cause.title}` },
      ...(count > 1n
        ? [{ atUs: lastUs, position: lastPosition, what: `Last of ${count} failures: ${cause.title}` }]
        : []),
    ]),
  ].toSorted((a, b) => (a.atUs < b.atUs ? -1 : a.atUs > b.atUs ? 1 : 0));
}

/** The figures begin with the first sign; attempts may be missing, unless all were seen. */
export function seenOnly({ figures }: PostMortem): string[] {
  const bounds = 'Figures cover this time only; failures before the first sign are not included.';
  const isWhole = figures.lostMax === 0n;
  return [
    bounds,
    ...(isWhole ? [] : ['Submissions may be missing: attempts, bytes and fees are lower bounds.']),
  ];
}

/** A note if the timeline is incomplete. */
export function cutOf({ isCut }: PostMortem): string[] {
  return isCut ? ['Not everything is listed. Ask for a shorter interval to see the rest.'] : [];
}

/** A moment in UTC, to the second. */
function secondOf(us: Micros): string {
  return formatTime(microsToNanos(us), 0);
}

/** A moment in UTC, with all digits. */
export function timeOf(us: Micros): string {
  return formatTime(microsToNanos(us));
}
