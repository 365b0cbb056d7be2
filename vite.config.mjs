import { defineConfig } from 'vite';

/**
 * Has the dashboard's shell name the scripts that its first one imports: else a browser learns of them once that one has run.
 */
const preloadWhatDraws = {
  name: 'preload-what-draws',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { path, bundle = {}, chunk }) => {
      if (!path.endsWith('dashboard/index.html')) return [];
      const drawing = (chunk?.dynamicImports ?? []).flatMap((name) => [name, ...bundle[name].imports]);
      return [...new Set(drawing)]
        .filter((name) => name !== chunk.fileName && !chunk.imports.includes(name))
        .map((name) => ({
          tag: 'link',
          injectTo: 'head',
          attrs: { rel: 'modulepreload', href: `/${name}` },
        }));
    },
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
      // Marks for servers in packages of React mean nothing in a page; a slow machine is no fault.
      checks: { moduleLevelDirective: false, pluginTimings: false },
      // The server asks by it as well, under a name that it knows.
      preserveEntrySignatures: 'exports-only',
      output: {
        entryFileNames: ({ name }) => (name === 'questions' ? '[name].js' : 'assets/[name]-[hash].js'),
      },
      input: [
        'src/dashboard/data/questions.ts',
        'src/dashboard/index.html',
        'src/api/pages/static/docs.html',
        'src/api/ide/static/ide.html',
        'src/dashboard/node-page/da.html',
      ],
    },
  },
});
