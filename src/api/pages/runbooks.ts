import { readdirSync, readFileSync } from 'node:fs';
import MarkdownIt from 'markdown-it';
import { RUNBOOK_PATH } from '../../domain/health/trouble-words.js';
import { packageFile } from '../../platform/package-files.js';
import { toPlainPage } from './plain-page.js';

type Token = ReturnType<MarkdownIt['parse']>[number];

/** The Markdown files by page. The build copies them. */
function listFiles(): ReadonlyMap<string, URL> {
  const folder = packageFile('docs/runbooks/');
  const names = readdirSync(folder).flatMap((file) => /^(.+)\.md$/.exec(file)?.[1] ?? []);
  return new Map([
    ...names.map((name) => [name, new URL(`${name}.md`, folder)] as const),
    ['failure-causes', packageFile('docs/failure-causes.md')],
  ]);
}

/** The runbooks as pages, from the same Markdown files that the sources have in `docs`. Read from the disk on first use. */
export class Runbooks {
  private files: ReadonlyMap<string, URL> | undefined;
  private readonly pages = new Map<string, string>();

  /** The HTML of a page; undefined if there is no such page. */
  find(name: string): string | undefined {
    this.files ??= listFiles();
    const file = this.files.get(name);
    if (file === undefined) return undefined;
    const page = this.pages.get(name) ?? this.toPage(readFileSync(file, 'utf8'), this.files);
    this.pages.set(name, page);
    return page;
  }

  private toPage(text: string, files: ReadonlyMap<string, URL>): string {
    const markdown = new MarkdownIt();
    const tokens = markdown.parse(text, {});
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'heading_open') token.attrSet('id', slugOf(tokens[index + 1]?.content ?? ''));
      if (token.children) token.children = withServedLinks(token.children, files);
    }
    const [, title = ''] = /^# (.*)$/m.exec(text) ?? [];
    return toPlainPage(`${title} - Hindsight`, markdown.renderer.render(tokens, markdown.options, {}));
  }
}

/** The id of a heading, as GitHub makes it, so that links to sections work in both. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

/** Links lead to pages that are served, to sections and to the web. Other links, such as to further docs, become plain text. */
function withServedLinks(tokens: readonly Token[], files: ReadonlyMap<string, URL>): Token[] {
  let isServed = true;
  return tokens.filter((token) => {
    if (token.type === 'link_open') {
      const target = toServed(String(token.attrGet('href')), files);
      isServed = target !== undefined;
      if (target !== undefined) token.attrSet('href', target);
    }
    return isServed || !token.type.startsWith('link_');
  });
}

function toServed(target: string, files: ReadonlyMap<string, URL>): string | undefined {
  if (/^(?:https?:|#)/.test(target)) return target;
  const [, name = '', section = ''] = /([^/]+)\.md(#.*)?$/.exec(target) ?? [];
  return files.has(name) ? `${RUNBOOK_PATH}${name}${section}` : undefined;
}
