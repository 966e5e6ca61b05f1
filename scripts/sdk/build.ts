import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../stack/core/files.ts';

// npm run sdk: before the package is packed, writes the types of the api and compiles packages/sdk into its `dist`.

rmSync(join(checkout, 'packages/sdk/dist'), { recursive: true, force: true });
cpSync(join(checkout, 'LICENSE'), join(checkout, 'packages/sdk/LICENSE'));
run('scripts/console/write-types.ts');
run('node_modules/typescript/bin/tsc', '-p', 'packages/sdk');

function run(...args: readonly string[]): void {
  execFileSync(process.execPath, args, { cwd: checkout, stdio: 'inherit' });
}
