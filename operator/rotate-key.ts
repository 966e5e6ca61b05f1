import { readFileSync } from 'node:fs';
import { SecretBox } from '../db/core/secret-box.ts';
import { connectDatabase } from '../db/orm/connect.ts';
import { notMigrated, pendingMigrations } from '../db/migrations/pending-migrations.ts';
import { encryptAnew } from '../db/secrets.ts';
import { settingsOf, sharedSettings } from '../domain/settings/settings.ts';
import { formatKeyUses, readKeyUses } from './keys/key-uses.ts';
import { readArguments, Refusal, runProgram } from './program.ts';

// node operator/rotate-key.ts [--count]: encrypts stored secrets with the first key of SECRET_KEY while the service
// runs, and says what each key is still needed for (docs/settings.md). --count only says it.

await runProgram(async () => {
  const { values } = readArguments('node operator/rotate-key.ts [--count]', {
    options: { count: { type: 'boolean' } },
  });
  const { DATABASE_URL, SECRET_KEY } = settingsOf(
    sharedSettings.pick({ DATABASE_URL: true, SECRET_KEY: true }),
    process,
    readFileSync,
  );
  const database = await connectDatabase({ url: DATABASE_URL, poolSize: 1 });
  try {
    const pending = await pendingMigrations(database);
    if (pending.length > 0) throw new Refusal(`${notMigrated(pending)}.`);
    if (values.count !== true)
      await encryptAnew(database, new SecretBox(SECRET_KEY), ({ kind, encrypted, unreadable }) => {
        const left = unreadable === 0 ? '' : `; ${unreadable} cannot be decrypted and stay as they are`;
        process.stderr.write(`${kind}: ${encrypted} re-encrypted${left}\n`);
      });
    process.stdout.write(`${formatKeyUses(await readKeyUses(database, SECRET_KEY))}\n`);
  } finally {
    await database.close();
  }
});
