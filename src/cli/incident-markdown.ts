import { duration } from '../domain/health/health-rule.js';
import { formatTime, microsToNanos, type Micros } from '../domain/time.js';
import { incidentFigures } from './incident-figures.js';
import type { PostMortem } from './incident-data.js';
import { toMarkdownText } from './markdown-text.js';

/** A post-mortem as Markdown, which can be pasted as it is: whatever a node sent is plain text in it. */
export function toIncidentMarkdown(told: PostMortem): string {
  const parts = [head(told), happened(told), impact(told), claimed(told), timeline(told), proof(told)];
  return `${parts.flat().join('\n')}\n`;
}

function head({ node, chain, fromUs, toUs, isOver, severity }: PostMortem): string[] {
  const of = chain === null ? '' : ` of chain ${toMarkdownText(chain)}`;
  const length = duration(Number((toUs - fromUs) / 1_000n));
  return [
    `# ${severity}: DA layer of node ${toMarkdownText(node)}${of}`,
    '',
    `Since ${timeOf(fromUs)}; ${isOver ? `over at ${timeOf(toUs)}, after ${length}` : `not over, ${length} so far`}.`,
    '',
  ];
}

function happened({ states, severity, figures }: PostMortem): string[] {
  const worst = states.find(({ state }) => state === severity);
  const causes = figures.causes.map(
    ({ cause, count, firstUs, lastUs }) =>
      `- ${count} times: ${cause.title} First ${timeOf(firstUs)}, last ${timeOf(lastUs)}. ${cause.remedy}`,
  );
  return [
    '## What happened',
    '',
    worst ? `${toMarkdownText(worst.reason)}.` : 'Nothing is known of its health.',
    '',
    ...(causes.length > 0 ? [...causes, ''] : []),
  ];
}

function impact({ figures }: PostMortem): string[] {
  const rows = incidentFigures(figures).map(({ title, value }) => `| ${title} | ${value ?? 'not known'} |`);
  return ['## Impact', '', '| figure | value |', '| --- | --- |', ...rows, ''];
}

function claimed({ figures }: PostMortem): string[] {
  const lines = figures.claims.map(({ claim, falseMinMs, falseMaxMs }) => {
    const least = duration(falseMinMs);
    const most = duration(falseMaxMs);
    const span = least === most ? least : `${least} to ${most}`;
    return `- "${toMarkdownText(claim)}": ${falseMaxMs === 0 ? 'it did not contradict what we saw' : `false for ${span}`}.`;
  });
  return ['## What the node claimed', '', ...(lines.length > 0 ? lines : ['Nothing is known.']), ''];
}

function timeline({ states, holes, isCut }: PostMortem): string[] {
  const lines = [
    ...states.map(({ fromUs, state, reason, position }) => ({
      atUs: fromUs,
      position,
      what: `${state}: ${toMarkdownText(reason)}`,
    })),
    ...holes.map(({ toUs, kind, minLost, maxLost, position }) => ({
      atUs: toUs,
      position,
      what: `Hole (${kind}): ${minLost} to ${maxLost ?? 'any number of'} rows were never seen`,
    })),
  ].sort((a, b) => (a.atUs < b.atUs ? -1 : a.atUs > b.atUs ? 1 : 0));
  return [
    '## Timeline',
    '',
    '| time | position | what |',
    '| --- | --- | --- |',
    ...lines.map(({ atUs, position, what }) => `| ${timeOf(atUs)} | ${position} | ${what} |`),
    '',
    ...(isCut ? ['There was more; a shorter interval tells all of it.', ''] : []),
  ];
}

/** The questions by which anybody can check it. */
function proof({ node, fromUs, toUs }: PostMortem): string[] {
  const time = `from: "${timeOf(fromUs)}", to: "${timeOf(toUs)}"`;
  const named = JSON.stringify(node);
  return [
    '## How each figure can be checked',
    '',
    '```graphql',
    `{ intervalReport(node: ${named}, ${time}) { attempts successes failures sizeBytes holes lostMin lostMax longestWithoutSuccessMs feeMin feeMax failedAttempts failedFeeMax coverage`,
    '    causes { cause { code } count first last } claims { claim falseMinMs falseMaxMs }',
    '    blocks { produced included lagP95Ms lagMaxMs delayLimitMs delayed transactionsDelayed mostPending } }',
    `  healthHistory(node: ${named}, ${time}) { from to state rule reason } }`,
    '```',
  ];
}

function timeOf(us: Micros): string {
  return formatTime(microsToNanos(us));
}
