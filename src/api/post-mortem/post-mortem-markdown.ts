import { missingInWords } from '../../domain/health/coverage-line.js';
import { duration } from '../../domain/health/health-rule.js';
import { incidentTitle } from '../../domain/health/trouble.js';
import { remedyOf, troubleWords } from '../../domain/health/trouble-words.js';
import { formatTime, microsToNanos, type Micros } from '../../domain/time.js';
import { toMarkdownText } from './markdown-text.js';
import type { PostMortem } from './post-mortem-data.js';
import { figuresInWords } from './post-mortem-figures.js';
import { questionsOf } from './post-mortem-questions.js';

/** A post-mortem as Markdown that can be pasted as it is. Everything that a node sent is plain text in it. */
export function toPostMortemMarkdown(postMortem: PostMortem): string {
  const parts = [
    head(postMortem),
    happened(postMortem),
    impact(postMortem),
    claimed(postMortem),
    timeline(postMortem),
    proof(postMortem),
  ];
  return `${parts.flat().join('\n')}\n`;
}

/** Title as plain text: the worst state, and what it affects. */
export function titleOf({ node, nodes, chain, severity, subject }: PostMortem): string {
  const all = nodes.map((nodeId) => ({ nodeId }));
  return `${severity}: ${incidentTitle({ nodeId: node, nodes: all, chain, subject })}`;
}

function head(postMortem: PostMortem): string[] {
  const { nodes, chain, endReason, fromUs, figuresFromUs } = postMortem;
  const outcome = endReason === null ? [] : [`Outcome: ${endReason}`];
  const names = `Nodes: ${nodes.join(', ')}. Figures are those of chain ${chain ?? '?'}: an attempt that several nodes show counts once, and a block waits until the first node of the chain includes it.`;
  const since = `Figures cover the last 31 days, since ${secondOf(figuresFromUs)}.`;
  return [
    `# ${toMarkdownText(titleOf(postMortem))}`,
    '',
    ...paragraphs([
      timeInWords(postMortem),
      ...outcome,
      ...(nodes.length > 1 ? [names] : []),
      ...(figuresFromUs === fromUs ? [] : [since]),
      ...acknowledged(postMortem),
    ]),
  ];
}

/** Time of the post-mortem, and the time of its last record. For an interval, trouble may have begun earlier or lasted longer. */
function timeInWords({ id, fromUs, toUs, isOver, knownAtUs }: PostMortem): string {
  const length = duration(Number((toUs - fromUs) / 1_000n));
  const ended = isOver ? `over at ${secondOf(toUs)} after ${length}` : `ongoing for ${length}`;
  const ofTime =
    id === null
      ? `Covers the ${length} from ${secondOf(fromUs)} to ${secondOf(toUs)}; trouble may have begun earlier, and may have lasted longer`
      : `Since ${secondOf(fromUs)}, ${ended}`;
  return `${ofTime}. Based on records up to ${secondOf(knownAtUs)}.`;
}

function acknowledged({ acknowledgements, acknowledgementCount, notes, noteCount }: PostMortem): string[] {
  const { length } = acknowledgements;
  return [
    ...acknowledgements.map(
      ({ by, note, atUs }) => `Acknowledged by ${by} at ${secondOf(atUs)}${note === '' ? '.' : `: ${note}`}`,
    ),
    ...(acknowledgementCount > length
      ? [`Acknowledged ${acknowledgementCount} times; the first ${length} are listed.`]
      : []),
    ...(noteCount > notes.length ? [`${noteCount} notes; the timeline has the first ${notes.length}.`] : []),
  ];
}

function happened(postMortem: PostMortem): string[] {
  const causes = postMortem.figures.causes.map(
    ({ cause, count, firstUs, lastUs }) =>
      `- ${cause.title} ${count} ${count === 1n ? `failure at ${secondOf(firstUs)}` : `failures from ${secondOf(firstUs)} to ${secondOf(lastUs)}`}. ${cause.remedy}`,
  );
  return ['## What happened', '', ...paragraphs(worstOf(postMortem)), ...causes, ''];
}

/** Trouble at the worst: the last reason of each rule in the worst state, with what it means and what to do. */
function worstOf({ states, severity, component, worst, figures, isOver, daNode }: PostMortem): string[] {
  const found = states.filter(({ state }) => state === severity);
  const shown = found.length === 0 && worst ? [worst] : found;
  const rules = [...new Set(shown.map(({ rule }) => rule))];
  if (rules.length === 0) return ['Health unknown.'];
  return rules.flatMap((rule) => {
    const words = troubleWords(component, rule);
    // The last reason counts the failures of all of them.
    const reason = worst?.rule === rule ? worst.reason : shown.findLast((one) => one.rule === rule)?.reason;
    const remedy = remedyOf(component, rule, { causes: figures.causes, isOpen: !isOver, daNode, reason });
    return [reason ?? '', ...(words ? [words.means, `What to do: ${remedy ?? words.remedy}`] : [])];
  });
}

/** The figures begin with the first sign; attempts may be missing, unless all were seen. */
function impact({ figures }: PostMortem): string[] {
  const isWhole = figures.lostMax === 0n;
  return [
    '## Impact',
    '',
    ...paragraphs([
      'Figures cover this time only; failures before the first sign are not included.',
      ...(isWhole ? [] : ['Submissions may be missing: attempts, bytes and fees are lower bounds.']),
    ]),
    '| figure | value |',
    '| --- | --- |',
    ...figuresInWords(figures).map(({ title, value }) => `| ${title} | ${value ?? 'unknown'} |`),
    '',
  ];
}

/** Claims, for how long each was false, and the claiming nodes if there are several nodes. */
function claimed({ figures, nodes }: PostMortem): string[] {
  const lines = figures.claims.map(({ claim, falseMinMs, falseMaxMs, nodes: by }) => {
    const [least, most] = [duration(falseMinMs), duration(falseMaxMs)];
    const verdict =
      falseMaxMs === 0
        ? 'not seen to be false'
        : `false for ${least === most ? least : `${least} to ${most}`}`;
    return `- ${toMarkdownText(`"${claim}"${nodes.length > 1 ? ` (${by.join(', ')})` : ''}: ${verdict}.`)}`;
  });
  return [
    `## DA health as ${nodes.length > 1 ? 'the nodes' : 'the node'} reported it`,
    '',
    ...(lines.length > 0 ? lines : ['No report is known.']),
    '',
  ];
}

function timeline(postMortem: PostMortem): string[] {
  return [
    '## Timeline',
    '',
    '| time | event | what |',
    '| --- | --- | --- |',
    ...entriesOf(postMortem).map(
      ({ atUs, position, what }) =>
        `| ${formatTime(microsToNanos(atUs))} | ${position} | ${toMarkdownText(what)} |`,
    ),
    '',
    ...(postMortem.isCut
      ? ['Not everything is listed. Ask for a shorter interval to see the rest.', '']
      : []),
  ];
}

interface TimelineEntry {
  readonly atUs: Micros;
  /** Position of the event that reported it. */
  readonly position: bigint;
  readonly what: string;
}

/** In the order of time. */
function entriesOf(postMortem: PostMortem): TimelineEntry[] {
  const { states, holes, leaderChanges, acknowledgements, notes, figures, nodes } = postMortem;
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
    ...notes.map(({ by, note, atUs, position }) => ({ atUs, position, what: `Note by ${by}: ${note}` })),
    ...figures.causes.flatMap(({ cause, count, firstUs, firstPosition, lastUs, lastPosition }) => [
      { atUs: firstUs, position: firstPosition, what: `First failure: ${cause.title}` },
      ...(count > 1n
        ? [{ atUs: lastUs, position: lastPosition, what: `Last of ${count} failures: ${cause.title}` }]
        : []),
    ]),
  ].toSorted((a, b) => (a.atUs < b.atUs ? -1 : a.atUs > b.atUs ? 1 : 0));
}

/** The GraphQL queries with which readers can check it. */
function proof(postMortem: PostMortem): string[] {
  return [
    '## How to check the figures',
    '',
    'Send these queries to GraphQL.',
    '',
    '```graphql',
    questionsOf(postMortem),
    '```',
  ];
}

/** Each text, which may be from a node, as a paragraph. */
function paragraphs(texts: readonly string[]): string[] {
  return texts.flatMap((text) => [toMarkdownText(text), '']);
}

/** A moment in UTC, to the second. */
function secondOf(us: Micros): string {
  return formatTime(microsToNanos(us), 0);
}
