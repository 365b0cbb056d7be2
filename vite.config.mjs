import { defineConfig } from 'vite';

/** All scripts that a script loads at once, itself included. */
function withImports(bundle, names, found = new Set()) {
  for (const name of names) {
    if (found.has(name)) continue;
    found.add(name);
    withImports(bundle, bundle[name].imports, found);
  }
  return found;
}

const isShell = (path) => path.endsWith('dashboard/index.html');
const scriptsOf = (bundle, fits) =>
  withImports(
    bundle,
    Object.keys(bundle).filter((name) => bundle[name].type === 'chunk' && fits(bundle[name])),
  );

/**
 * Names the files of a page before a script asks for them: else a browser learns of each only once the one before has run. The
 * shell names what all pages need; `scripts.json` has the rest by page, for the server, which knows the page.
 */
const preloadWhatDraws = {
  name: 'preload-what-draws',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { path, bundle = {}, chunk }) => {
      if (!isShell(path)) return [];
      const font = Object.keys(bundle).filter((name) => name.endsWith('.woff2'));
      const drawing = scriptsOf(bundle, ({ name }) => name === 'dashboard');
      // Vite names these itself.
      const named = withImports(bundle, [chunk.fileName]);
      return [
        ...font.map((name) => ({ as: 'font', rel: 'preload', crossorigin: '', href: `/${name}` })),
        ...[...drawing]
          .filter((name) => !named.has(name))
          .map((name) => ({ rel: 'modulepreload', href: `/${name}` })),
      ].map((attrs) => ({ tag: 'link', injectTo: 'head', attrs }));
    },
  },
  generateBundle(_, bundle) {
    const all = scriptsOf(bundle, ({ name }) => name === 'dashboard');
    const scripts = Object.values(bundle).flatMap(({ facadeModuleId, fileName }) => {
      const [, page] = /dashboard\/pages\/(\w+)\.tsx$/.exec(facadeModuleId ?? '') ?? [];
      if (page === undefined) return [];
      return [[page, [...withImports(bundle, [fileName])].filter((name) => !all.has(name))]];
    });
    this.emitFile({
      type: 'asset',
      fileName: 'scripts.json',
      source: JSON.stringify(Object.fromEntries(scripts)),
    });
  },
};

/** The pages, bundled with all that they load: the service that shows them needs none of their packages. */
export default defineConfig({
  root: 'src',
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [preloadWhatDraws],
  build: {
    outDir: '../dist/pages',
    emptyOutDir: true,
    // Pages load scripts and fonts from their own origin alone, so nothing is put into them.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'LICENSES.md' },
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: {
      // A slow machine is no fault.
      checks: { pluginTimings: false },
      // The server asks by it as well, under a name that it knows.
      preserveEntrySignatures: 'exports-only',
      output: {
        codeSplitting: {
          groups: [
            // The server loads these without a browser.
            { name: 'first-questions', test: /dashboard\/data\/questions\.ts|preload-helper/, priority: 2 },
            // Queries are sent before the code that draws is loaded.
            { name: 'early', test: /dashboard\/data\/(?:early|ask|find-there|now)\.ts/, priority: 2 },
            // Icons and parts that pages share come in one file: each by itself would be a request.
            {
              name: 'shared',
              test: /node_modules\/lucide|dashboard\/(?:frame|parts|data)\//,
              minShareCount: 2,
              priority: 1,
            },
            { name: 'charts', test: /node_modules\/uplot|dashboard\/charts\//, minShareCount: 2 },
          ],
        },
        entryFileNames: ({ name }) => (name === 'questions' ? '[name].js' : 'assets/[name]-[hash].js'),
      },
      input: [
        'src/dashboard/data/questions.ts',
        'src/dashboard/index.html',
        'src/api/pages/static/docs.html',
        'src/dashboard/ide/ide.html',
        'src/dashboard/node-page/da.html',
      ],
    },
  },
});
