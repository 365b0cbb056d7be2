import { readFileSync } from 'node:fs';

/** A fenced block of a page in Markdown. */
export interface PageBlock {
  /** `graphql`, `sh`, …; empty if the page names no language. */
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a page, in their order. */
export function blocksOf(path: string): PageBlock[] {
  const found = readFileSync(path, 'utf8').matchAll(/^```(\w*)\n([^]*?)^```$/gm);
  return [...found].map(([, language = '', text = '']) => ({ language, text: text.trim() }));
}

/** The blocks of one language. */
export function textsOf(path: string, language: string): string[] {
  return blocksOf(path).flatMap((block) => (block.language === language ? block.text : []));
}
