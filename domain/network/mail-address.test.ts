import { expect, test } from '@jest/globals';
import { MAIL_ADDRESS } from './mail-address.ts';

test.each(['a@example.com', "ada.o'neil+news@mail.example.com", 'ö@bücher.example', 'a@[192.0.2.1]'])(
  '%s is an address',
  (text) => {
    expect(MAIL_ADDRESS.test(text)).toBe(true);
  },
);

test.each([
  '',
  'a',
  '@example.com',
  'a@',
  'a@b@c',
  'a@example.com, b@example.com',
  'Ada <a@example.com>',
  'a@example.com\r\nBcc: b@example.com',
  'a@example.com\n',
  'a b@example.com',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b'.repeat(256)}`,
])('%j is none', (text) => {
  expect(MAIL_ADDRESS.test(text)).toBe(false);
});
