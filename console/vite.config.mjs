import { defineConfig } from 'vite';

/** The address of the api, to which the dev server of `npm run console` passes what is not a page. */
const api = process.env['EVERTURN_API'] ?? 'http://127.0.0.1:3000';

/** Returns the capability of the console that a module belongs to; null for what belongs to none. */
function capabilityOf(module) {
  const folder = /\/console\/([a-z-]+)\//.exec(module)?.[1];
  return folder === undefined || folder === 'ui' || folder === 'core' ? null : folder;
}

export default defineConfig({
  root: import.meta.dirname,
  publicDir: 'public',
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    target: 'es2023',
    cssMinify: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // "use client" at the top of a package's file says nothing to a bundle without a server.
      onLog: (level, log, pass) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : pass(level, log)),
      // A browser fetches six files at a time over HTTP/1.1, so what many pages share is a file, not a hundred of them.
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 2 },
            { name: 'entry-pages', minShareCount: 40, priority: 1 },
            { name: 'pages', minShareCount: 12 },
            { name: 'parts', test: /\/console\/(?:ui|core)\/|\/lucide-react\/|\/domain\//, minShareCount: 3 },
            { name: capabilityOf, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    proxy: {
      '/api': api,
      '/openapi.json': api,
      '/docs': api,
      '/ws': { target: api, ws: true },
    },
  },
});
