import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { StartFailure } from '../core/start-failure.ts';
import { writeDurably } from '../core/write-durably.ts';
import type { Home } from './prepare-home.ts';

/** Returns the key with which secrets are encrypted: created at the first start, and kept. */
export function keptSecretKey(home: Home): string {
  const file = join(home.secrets, 'secret-key');
  if (existsSync(file)) {
    const key = readFileSync(file, 'utf8').trim();
    if (key.length >= 32) return key;
    throw new StartFailure(
      `${file}, which holds the key of all stored secrets, is damaged: put it back from a backup.`,
    );
  }
  const key = randomBytes(32).toString('base64url');
  writeDurably(file, key);
  chmodSync(file, 0o600);
  return key;
}
