import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { headerIssue, signatureOf } from './webhook-signature.ts';

const SECRET = 'a shared secret';
const NOW = 1_800_000_000_000;
const BODY = Buffer.from('{"a":"ä"}');
const digest = (text: string | Buffer, secret = SECRET) => createHmac('sha256', secret).update(text).digest('hex');
const signed = (seconds: number, body = BODY, secret = SECRET) =>
  `t=${seconds},v1=${digest(Buffer.concat([Buffer.from(`${seconds}.`), body]), secret)}`;
const isGood = (own: string | undefined, hub?: string) => signatureOf(SECRET, { own, hub }, BODY) !== undefined;

describe('the signature of a webhook', () => {
  test('fits the time and the body that were signed with the secret, and no others', () => {
    expect(isGood(signed(NOW / 1_000))).toBe(true);
    expect(isGood(`${signed(1, BODY, 'a former secret')},${signed(1).split(',')[1]}`)).toBe(true);
    expect(isGood(signed(NOW / 1_000, Buffer.from('{}')))).toBe(false);
    expect(isGood(signed(NOW / 1_000, BODY, 'another secret'))).toBe(false);
    expect(isGood(signed(1).replace('t=1,', 't=2,'))).toBe(false);
    for (const own of ['', 't=1', 'v1=', `t=1,v1=${'0'.repeat(64)}`, 't=1,v1=zz', `t=1,v1=${'é'.repeat(64)}`])
      expect([own, isGood(own)]).toEqual([own, false]);
  });

  test('may be that of GitHub', () => {
    expect(isGood(undefined, `sha256=${digest(BODY)}`)).toBe(true);
    expect(isGood(undefined, `sha256=${digest('{}')}`)).toBe(false);
    // A bad one of ours is not made good by another.
    expect(isGood('t=1,v1=00', `sha256=${digest(BODY)}`)).toBe(false);
  });

  test.each([
    [undefined, 'is missing'],
    ['', 'must be written as'],
    ['v1=00', 'must be written as'],
    ['t=x,v1=00', 'must be written as'],
    [signed(NOW / 1_000 - 301), 'five minutes'],
    [signed(NOW / 1_000 + 301), 'five minutes'],
  ])('is rejected before the body is read: %j', (own, reason) => {
    expect(headerIssue({ own, hub: undefined }, NOW)).toContain(reason);
  });

  test('may be five minutes old', () => {
    for (const seconds of [-300, 0, 300])
      expect(headerIssue({ own: signed(NOW / 1_000 + seconds), hub: undefined }, NOW)).toBeUndefined();
  });
});
