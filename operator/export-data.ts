import { readFileSync } from 'node:fs';
import { connectDatabase } from '../db/orm/connect.ts';
import { settingsOf, sharedSettings } from '../domain/settings/settings.ts';
import { FileStores } from '../files/file-stores.ts';
import { findSubject, noteInAuditLog, orgsOf } from './personal-data/subject.ts';
import { writeExport } from './personal-data/write-export.ts';
import { readArguments, Refusal, runProgram } from './program.ts';

// node operator/export-data.ts --org <id or name> | --user <id or address> <file.zip>: writes everything about an
// organization or a user into an archive (docs/personal-data.md).

const USAGE = 'node operator/export-data.ts --org <id or name> | --user <id or e-mail address> <new file.zip>';

await runProgram(async () => {
  const { values, positionals } = readArguments(USAGE, {
    options: { org: { type: 'string' }, user: { type: 'string' } },
    allowPositionals: true,
  });
  const [to, ...others] = positionals;
  if (to === undefined || others.length > 0 || (values.org === undefined) === (values.user === undefined))
    throw new Refusal(`Usage: ${USAGE}`);
  const { DATABASE_URL, FILES_URL } = settingsOf(
    sharedSettings.pick({ DATABASE_URL: true, FILES_URL: true }),
    process,
    readFileSync,
  );
  const database = await connectDatabase({ url: DATABASE_URL, poolSize: 2 });
  try {
    const subject = await findSubject(database, values);
    await noteInAuditLog(database.system, subject, {
      action: `${subject.kind}s.export`,
      orgIds: await orgsOf(database, subject),
    });
    const files = await FileStores.open(database, FILES_URL);
    const say = (line: string) => process.stderr.write(`${line}\n`);
    const { rows, files: count } = await writeExport({ database, files }, subject, { to, say });
    const total = Object.values(rows).reduce((sum, rowsOfTable) => sum + rowsOfTable, 0);
    process.stdout.write(`${total} rows and ${count} files of ${subject.name} are in ${to}.\n`);
  } finally {
    await database.close();
  }
});
