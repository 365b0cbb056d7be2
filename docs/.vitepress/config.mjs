import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const DOCS = join(ROOT, 'docs');

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_SHA } = process.env;
/** The address of a file that is not in `docs`: at the commit that is published, or in this checkout. */
const SOURCES =
  GITHUB_REPOSITORY === undefined
    ? `file://${ROOT}`
    : `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/blob/${GITHUB_SHA}`;

const HOME = 'README.md';

/** A page's title, and its place in the sidebar. */
function entryOf(page) {
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(DOCS, page), 'utf8'));
  return { text: title, link: `/${page.replace(/\.md$/, '')}` };
}

/** The pages that the list in README.md names, in its order. */
function namedPages() {
  const [, list] = readFileSync(join(DOCS, HOME), 'utf8').split('\n## Pages\n');
  return [...list.matchAll(/^\| \[(.+?)\]\((\w[\w-]*)\.md\)/gm)].map(([, text, page]) => ({
    text,
    link: `/${page}`,
  }));
}

function pagesOf(folder) {
  return readdirSync(join(DOCS, folder)).map((page) => entryOf(`${folder}/${page}`));
}

/** Makes links to files outside of `docs` lead to the sources, since the site has only the pages. */
function linkSources(md) {
  const render =
    md.renderer.rules.link_open ??
    ((tokens, index, options, _, self) => self.renderToken(tokens, index, options));
  md.renderer.rules.link_open = (tokens, index, options, env, self) => {
    const target = tokens[index].attrGet('href');
    if (!/^\w+:|^[#/]/.test(target)) {
      const path = relative(ROOT, resolve(dirname(join(DOCS, env.relativePath)), target));
      if (!path.startsWith('docs')) tokens[index].attrSet('href', `${SOURCES}/${path}`);
    }
    return render(tokens, index, options, env, self);
  };
}

/** The documentation as a site: `npm run docs:build` fails at a dead link. */
export default {
  title: 'Hindsight',
  description: "The permanent record of a rollup's data availability",
  cleanUrls: true,
  rewrites: { [HOME]: 'index.md' },
  markdown: { config: linkSources },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      { text: 'Pages', items: [{ text: 'Commands', link: '/' }, ...namedPages()] },
      { text: 'Runbooks', collapsed: true, items: pagesOf('runbooks') },
      { text: 'Decisions', collapsed: true, items: pagesOf('decisions') },
    ],
  },
};
