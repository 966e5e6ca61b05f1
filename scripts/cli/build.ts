import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { checkout } from '../stack/core/files.ts';

// npm run cli: before the package is packed, bundles packages/cli with the SDK and its libraries into one file.

const root = join(checkout, 'packages/cli');
cpSync(join(checkout, 'LICENSE'), join(root, 'LICENSE'));
await build({
  root,
  configFile: false,
  logLevel: 'warn',
  ssr: { noExternal: true },
  build: {
    ssr: 'src/main.ts',
    target: 'node20',
    outDir: 'dist',
    emptyOutDir: true,
    license: { fileName: 'licenses.md' },
    rolldownOptions: { output: { entryFileNames: 'everturn.js' } },
  },
});
