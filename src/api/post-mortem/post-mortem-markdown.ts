import { figuresInWords } from './post-mortem-figures.js';
import type { PostMortem } from './post-mortem-data.js';
import {
  causesOf,
  claimsOf,
  cutOf,
  endOf,
  figuresFrom,
  headOf,
  nodesOf,
  seenBy,
  seenOnly,
  timelineOf,
  timeOf,
  titleOf,
  worstOf,
} from './post-mortem-words.js';
import { questionsOf } from './post-mortem-questions.js';
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

function impact(told: PostMortem): string[] {
  const rows = figuresInWords(told.figures).map(
    ({ title, value }) => `| ${title} | ${value ?? 'not known'} |`,
  );
  const seen = seenOnly(told).flatMap((line) => [line, '']);
  return ['## Impact', '', ...seen, '| figure | value |', '| --- | --- |', ...rows, ''];
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
    ...cutOf(told).flatMap((line) => [line, '']),
  ];
}

/** The questions by which anybody can check it. */
function proof(told: PostMortem): string[] {
  return ['## How each figure can be checked', '', '```graphql', questionsOf(told), '```'];
}
