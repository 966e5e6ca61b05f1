import { describe, expect, test } from '@jest/globals';
import { Passwords } from '../passwords.ts';

describe('Passwords', () => {
  test('hashes with Argon2id, and with the memory and passes that OWASP recommends unless told otherwise', async () => {
    expect(await new Passwords().hash('a password')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test('knows a password in a compatible form, and no other one', async () => {
    const passwords = new Passwords({ memoryCost: 8, timeCost: 1, parallelism: 1 });
    const stored = await passwords.hash('ﬁve ﬁsh');
    expect(await passwords.isRight('five fish', stored)).toBe(true);
    expect(await passwords.isRight('five cats', stored)).toBe(false);
    expect(await passwords.isRight('no account has this password', null)).toBe(false);
  });
});
