import type { Logger } from 'pino';
import type { Database } from '../db/core/database.ts';
import type { SecretBox } from '../db/core/secret-box.ts';
import { countUnreadableSecrets } from '../db/secrets.ts';

/** Warns the operator of stored secrets that no key of `SECRET_KEY` decrypts. Never throws. */
export async function reportUnreadableSecrets(database: Database, box: SecretBox, log: Logger): Promise<void> {
  try {
    const unreadable = await countUnreadableSecrets(database, box);
    if (Object.keys(unreadable).length === 0) return;
    const words = 'SECRET_KEY does not contain the key of stored secrets: add that key, or have them entered again';
    log.error({ unreadable }, words);
  } catch (error) {
    log.warn({ err: error }, 'stored secrets could not be compared with SECRET_KEY');
  }
}
