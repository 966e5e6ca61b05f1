import { execFileSync } from 'node:child_process';
import { join, relative } from 'node:path';

import { checkout } from '../stack/core/files.ts';
import { addMigration } from './add-migration.ts';

// `npm run migration -- <name>`: adds a migration of today to `db/migrations`.

const folder = join(checkout, 'db/migrations');
try {
  const path = addMigration(folder, process.argv[2] ?? '', new Date());
  execFileSync(process.execPath, [join(checkout, 'node_modules/oxfmt/bin/oxfmt'), join(folder, 'list.ts')]);
  console.log(`${relative(checkout, path)} is listed in db/migrations/list.ts.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
