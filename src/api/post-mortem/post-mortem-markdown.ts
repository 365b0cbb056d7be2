import type { Micros } from '../../domain/time.js';
import { figuresInWords } from './post-mortem-figures.js';
import type { PostMortem } from './post-mortem-data.js';
import {
  causesOf,
  claimsOf,
  endOf,
  figuresFrom,
  headOf,
  nodesOf,
  seenBy,
  timelineOf,
  timeOf,
  titleOf,
  worstOf,
} from './post-mortem-words.js';
import { toMarkdownText } from './markdown-text.js';

/** A post-mortem as Markdown, which can be pasted as it is: whatever a node sent is plain text in it. */
export function toPostMortemMarkdown(told: PostMortem): string {
  const parts = [head(told), happened(told), impact(told), claimed(told), timeline(told), proof(told)];
  return `${parts.flat().join('\n')}\n`;
}

function head(told: PostMortem): string[] {
  const more = [...endOf(told), ...nodesOf(told), ...figuresFrom(told), ...seenBy(told)].flatMap((line) => [
    toMarkdownText(line),
    '',
  ]);
  return [`# ${toMarkdownText(titleOf(told))}`, '', headOf(told), '', ...more];
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

function claimed(told: PostMortem): string[] {
  const lines = claimsOf(told).map((line) => `- ${toMarkdownText(line)}`);
  const title = told.nodes.length > 1 ? 'the nodes' : 'the node';
  return [`## What ${title} claimed`, '', ...(lines.length > 0 ? lines : ['Nothing is known.']), ''];
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

/** Nodes whose history is asked for in one question. */
const MOST_HISTORIES = 10;

/** The questions by which anybody can check it. */
function proof({ node, nodes, chain, component, fromUs, figuresFromUs, toUs }: PostMortem): string[] {
  const timeSince = (us: Micros): string => `from: "${timeOf(us)}", to: "${timeOf(toUs)}"`;
  const isOfChain = nodes.length > 1 && chain !== null;
  const owner = isOfChain ? `chain: ${JSON.stringify(chain)}` : `node: ${JSON.stringify(node)}`;
  const histories = nodes.slice(0, MOST_HISTORIES).map((one, index) => {
    const name = index === 0 ? '' : `healthHistory${index + 1}: `;
    return `  ${name}healthHistory(node: ${JSON.stringify(one)}, component: ${component}, ${timeSince(fromUs)}) { from to state rule reason }`;
  });
  return [
    '## How each figure can be checked',
    '',
    '```graphql',
    `{ intervalReport(${owner}, ${timeSince(figuresFromUs)}) { attempts successes failures sizeBytes holes lostMin lostMax longestWithoutSuccessMs feeMin feeMax failedAttempts failedFeeMax coverage`,
    '    causes { cause { code } count first last } claims { claim nodes falseMinMs falseMaxMs }',
    '    blocks { produced included }',
    '    waits { waited unknown limitMs delayed transactionsDelayed p95Ms maxMs stillWaiting transactionsStillWaiting mostWaiting } }',
    ...(nodes.length > MOST_HISTORIES
      ? [`  # Of ${MOST_HISTORIES} of its ${nodes.length} nodes; of the others in the same way.`]
      : []),
    ...histories.slice(0, -1),
    `${histories.at(-1) ?? ''} }`,
    '```',
  ];
}
