import { defineConfig } from 'vite';

/** The pages, bundled with all that they load: the service that shows them needs none of their packages. */
export default defineConfig({
  root: 'src',
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/pages',
    emptyOutDir: true,
    // Pages load scripts and fonts from their own origin alone, so nothing is put into them.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: {
      // Marks for servers in packages of React mean nothing in a page; a slow machine is no fault.
      checks: { moduleLevelDirective: false, pluginTimings: false },
      input: [
        'src/dashboard/index.html',
        'src/api/pages/static/docs.html',
        'src/api/ide/static/ide.html',
        'src/api/node-interface/static/da.html',
      ],
    },
  },
});
