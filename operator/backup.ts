import { readFileSync } from 'node:fs';
import { connectDatabase } from '../db/orm/connect.ts';
import { settingsOf, sharedSettings } from '../domain/settings/settings.ts';
import { FileStores } from '../files/file-stores.ts';
import { writeBackup } from './backup/write-backup.ts';
import { onlyArgument, runProgram } from './program.ts';

// node operator/backup.ts <folder>: writes a backup while the service runs (docs/backup.md).

await runProgram(async () => {
  const folder = onlyArgument('node operator/backup.ts <new folder>');
  const { DATABASE_URL, SECRET_KEY, FILES_URL, WORKSPACES } = settingsOf(
    sharedSettings.pick({ DATABASE_URL: true, SECRET_KEY: true, FILES_URL: true, WORKSPACES: true }),
    process,
    readFileSync,
  );
  const database = await connectDatabase({ url: DATABASE_URL, poolSize: 2 });
  try {
    const files = await FileStores.open(database, FILES_URL);
    const source = { database, files, keys: SECRET_KEY };
    await writeBackup(source, folder, (line) => process.stderr.write(`${line}\n`));
    process.stdout.write(
      `The backup is in ${folder}. Restoring it needs the current SECRET_KEY: store that separately.\n`,
    );
    if (WORKSPACES === 'shared')
      process.stdout.write('The shared folder of workspaces is not in it: copy that, too.\n');
  } finally {
    await database.close();
  }
});
