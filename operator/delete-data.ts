import { readFileSync } from 'node:fs';
import { connectDatabase } from '../db/orm/connect.ts';
import { settingsOf, sharedSettings } from '../domain/settings/settings.ts';
import { deleteSubject, waitForPurge } from './personal-data/delete-subject.ts';
import { countRows, formatCounts } from './personal-data/select-rows.ts';
import { findSubject } from './personal-data/subject.ts';
import { readArguments, Refusal, runProgram } from './program.ts';

// node operator/delete-data.ts --org <id or name> | --user <id or address> [--with-chats] [--yes]: deletes an
// organization or a user, and says what is left (docs/personal-data.md). Without --yes it only says what there is.

const USAGE = 'node operator/delete-data.ts --org <id or name> | --user <id or e-mail address> [--with-chats] [--yes]';
const MAX_WAIT_MS = 10 * 60_000;

await runProgram(async () => {
  const { values } = readArguments(USAGE, {
    options: {
      org: { type: 'string' },
      user: { type: 'string' },
      'with-chats': { type: 'boolean' },
      yes: { type: 'boolean' },
    },
  });
  if ((values.org === undefined) === (values.user === undefined)) throw new Refusal(`Usage: ${USAGE}`);
  const { DATABASE_URL } = settingsOf(sharedSettings.pick({ DATABASE_URL: true }), process, readFileSync);
  const database = await connectDatabase({ url: DATABASE_URL, poolSize: 2 });
  const say = (text: string) => process.stdout.write(`${text}\n`);
  try {
    const subject = await findSubject(database, values);
    const { kind, id, name, isDeleted } = subject;
    const state = isDeleted ? 'deleted' : 'not deleted';
    say(`${kind === 'org' ? 'Organization' : 'User'} ${name} (${id}), ${state}. Rows about it:`);
    say(formatCounts(await countRows(database, subject)));
    if (values.yes !== true) {
      say('Nothing was changed: --yes deletes it.');
      return;
    }
    const { orgIds, chats } = await deleteSubject(database, subject, { withChats: values['with-chats'] === true });
    say(isDeleted ? 'It was deleted before.' : 'It is deleted, and cannot be reached any more.');
    if (chats > 0) say(`A worker removes ${chats} private chats within the hour.`);
    const reason = await waitForPurge(database, orgIds, { signal: AbortSignal.timeout(MAX_WAIT_MS) });
    say('Rows that are left:');
    say(formatCounts(await countRows(database, subject)));
    if (reason !== undefined)
      throw new Refusal(`The deletion is not complete: ${reason}. Run this again with --${kind} ${id} to wait for it.`);
  } finally {
    await database.close();
  }
});
