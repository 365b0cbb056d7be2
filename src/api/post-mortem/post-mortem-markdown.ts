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

function head(postMortem: PostMortem): string[] {
  const more = [
    ...endOf(postMortem),
    ...nodesOf(postMortem),
    ...figuresFrom(postMortem),
    ...seenBy(postMortem),
  ].flatMap((line) => [toMarkdownText(line), '']);
  return [`# ${toMarkdownText(titleOf(postMortem))}`, '', headOf(postMortem), '', ...more];
}

function happened(postMortem: PostMortem): string[] {
  const causes = causesOf(postMortem).map((line) => `- ${line}`);
  return [
    '## What happened',
    '',
    ...worstOf(postMortem).flatMap((line) => [toMarkdownText(line), '']),
    ...(causes.length > 0 ? [...causes, ''] : []),
  ];
}

function impact(postMortem: PostMortem): string[] {
  const rows = figuresInWords(postMortem.figures).map(
    ({ title, value }) => `| ${title} | ${value ?? 'unknown'} |`,
  );
  const seen = seenOnly(postMortem).flatMap((line) => [line, '']);
  return ['## Impact', '', ...seen, '| figure | value |', '| --- | --- |', ...rows, ''];
}

function claimed(postMortem: PostMortem): string[] {
  const lines = claimsOf(postMortem).map((line) => `- ${toMarkdownText(line)}`);
  const title = postMortem.nodes.length > 1 ? 'the nodes' : 'the node';
  return [
    `## DA health as ${title} reported it`,
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
    ...timelineOf(postMortem).map(
      ({ atUs, position, what }) => `| ${timeOf(atUs)} | ${position} | ${toMarkdownText(what)} |`,
    ),
    '',
    ...cutOf(postMortem).flatMap((line) => [line, '']),
  ];
}

/** The GraphQL queries with which readers can check it. */
function proof(postMortem: PostMortem): string[] {
  return ['## How to check the figures', '', '```graphql', questionsOf(postMortem), '```'];
}
