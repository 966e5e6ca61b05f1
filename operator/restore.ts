import { readFileSync } from 'node:fs';
import { settingsOf, sharedSettings } from '../domain/settings/settings.ts';
import { restoreBackup } from './backup/restore-backup.ts';
import { onlyArgument, runProgram } from './program.ts';

// node operator/restore.ts <folder>: restores a backup into an empty database (docs/backup.md).

await runProgram(async () => {
  const folder = onlyArgument('node operator/restore.ts <folder of the backup>');
  const { DATABASE_URL, SECRET_KEY, FILES_URL } = settingsOf(
    sharedSettings.pick({ DATABASE_URL: true, SECRET_KEY: true, FILES_URL: true }),
    process,
    readFileSync,
  );
  const target = { databaseUrl: DATABASE_URL, keys: SECRET_KEY, filesAt: FILES_URL };
  const { created_at: createdAt } = await restoreBackup(target, folder, (line) => process.stderr.write(`${line}\n`));
  process.stdout.write(`The backup of ${createdAt} is restored.\n`);
});
