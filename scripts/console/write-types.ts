import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../stack/core/files.ts';
import { digestOf } from './digest-of.ts';

// npm run types: writes the types of the api's requests and answers, which the SDK and the console share, unless they
// are those of the sources as they are now. `npm run check` does it first; a build of the console leaves types out.

const file = join(checkout, 'packages/sdk/src/openapi.ts');
const digest = digestOf([
  '{api,builtin,db,definition-files,domain,files,workflows}/**/*.{ts,json}',
  'package-lock.json',
  'scripts/console/write-types.ts',
]);
if (!existsSync(file) || !readFileSync(file, 'utf8').startsWith(`// ${digest}\n`)) {
  const document = run(['api/openapi/print-document.ts']);
  // Fields with a default may be left out of requests.
  const types = run(
    [
      '--import',
      './scripts/console/with-typescript-5.mjs',
      'node_modules/openapi-typescript/bin/cli.js',
      '--default-non-nullable=false',
    ],
    document,
  );
  // Another check may read the file at this moment.
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, `// ${digest}\n${types}`);
  renameSync(fresh, file);
}

/** Returns what a program of this checkout prints. */
function run(args: readonly string[], input = ''): string {
  return execFileSync(process.execPath, args, { cwd: checkout, encoding: 'utf8', input, maxBuffer: 100_000_000 });
}
