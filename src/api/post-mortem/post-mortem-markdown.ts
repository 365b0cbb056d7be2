import { duration } from '../../domain/health/health-rule.js';
import { figuresInWords } from './post-mortem-figures.js';
import type { PostMortem } from './post-mortem-data.js';
import { causesOf, headOf, timelineOf, timeOf, titleOf, worstOf } from './post-mortem-words.js';
import { toMarkdownText } from './markdown-text.js';

/** A post-mortem as Markdown, which can be pasted as it is: whatever a node sent is plain text in it. */
export function toPostMortemMarkdown(told: PostMortem): string {
  const parts = [head(told), happened(told), impact(told), claimed(told), timeline(told), proof(told)];
  return `${parts.flat().join('\n')}\n`;
}

function head(told: PostMortem): string[] {
  return [`# ${toMarkdownText(titleOf(told))}`, '', headOf(told), ''];
}

function happened(told: PostMortem): string[] {
  const causes = causesOf(told).map((line) => `- ${line}`);
  return [
    '## What happened',
    '',
    ...worstOf(told).flatMap((line) => [toMarkdownText(line), '']),
    ...(causes.length > 0 ? [...causes, ''] : []),
  ];
}

function impact({ figures }: PostMortem): string[] {
  const rows = figuresInWords(figures).map(({ title, value }) => `| ${title} | ${value ?? 'not known'} |`);
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

function timeline(told: PostMortem): string[] {
  return [
    '## Timeline',
    '',
    '| time | position | what |',
    '| --- | --- | --- |',
    ...timelineOf(told).map(
      ({ atUs, position, what }) => `| ${timeOf(atUs)} | ${position} | ${toMarkdownText(what)} |`,
    ),
    '',
    ...(told.isCut ? ['There was more; a shorter interval tells all of it.', ''] : []),
  ];
}

/** The questions by which anybody can check it. */
function proof({ node, component, fromUs, toUs }: PostMortem): string[] {
  const time = `from: "${timeOf(fromUs)}", to: "${timeOf(toUs)}"`;
  const named = JSON.stringify(node);
  return [
    '## How each figure can be checked',
    '',
    '```graphql',
    `{ intervalReport(node: ${named}, ${time}) { attempts successes failures sizeBytes holes lostMin lostMax longestWithoutSuccessMs feeMin feeMax failedAttempts failedFeeMax coverage`,
    '    causes { cause { code } count first last } claims { claim falseMinMs falseMaxMs }',
    '    blocks { produced included lagP95Ms lagMaxMs delayLimitMs delayed transactionsDelayed mostPending } }',
    `  healthHistory(node: ${named}, component: ${component}, ${time}) { from to state rule reason } }`,
    '```',
  ];
}
