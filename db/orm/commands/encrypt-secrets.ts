import { SecretBox } from '../../core/index.ts';
import { connectDatabase } from '../index.ts';
import { settingsOf, sharedSettings } from '../../../domain/settings/index.ts';
import { countByKey, encryptAnew } from '../../secrets.ts';

// Encrypts stored secrets with the first key of SECRET_KEY, and says how many belong to which key. With `--count` it
// only says so.

const settings = settingsOf(sharedSettings.pick({ DATABASE_URL: true, SECRET_KEY: true }), process);
const box = new SecretBox(settings.SECRET_KEY);
const database = await connectDatabase({ url: settings.DATABASE_URL, poolSize: 1 });
try {
  const done = process.argv.includes('--count') ? [] : await encryptAnew(database, box);
  for (const { kind, encrypted, unreadable } of done) {
    const words = unreadable === 0 ? '' : `; ${unreadable} cannot be read and stay as they are`;
    process.stdout.write(`${kind}: ${encrypted} encrypted anew${words}\n`);
  }
  const counts = await countByKey(database.system);
  for (const { kind, keyId, count } of counts) process.stdout.write(`${kind}: ${count} with ${nameOf(keyId)}\n`);
  if (counts.length === 0) process.stdout.write('No secrets are stored.\n');
} finally {
  await database.close();
}

function nameOf(keyId: string): string {
  const at = box.keyIds.indexOf(keyId);
  return at < 0 ? `a key that SECRET_KEY does not hold (${keyId})` : `key ${at + 1} of SECRET_KEY (${keyId})`;
}
