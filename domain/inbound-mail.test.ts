import { describe, expect, test } from '@jest/globals';
import {
  type MailHead,
  mailIssue,
  referenceTo,
  replySubject,
  senderOf,
  subjectOf,
  taggedAddress,
  tagsOf,
  withoutQuote,
} from './inbound-mail.ts';

const MAILBOX = { address: 'Agents@example.com', authService: 'mx.example.com' };
const PASSED = 'mx.example.com; spf=pass smtp.mailfrom=a.example; dmarc=pass (p=none) header.from=a.example';

const headersOf = (...headers: [key: string, value: string][]) => headers.map(([key, value]) => ({ key, value }));
const headOf = (results: readonly string[], more: Partial<MailHead> = {}): MailHead => ({
  headers: headersOf(...results.map((value): [string, string] => ['authentication-results', value]), [
    'from',
    'Ada <ada@a.example>',
  ]),
  sender: 'ada@a.example',
  recipients: ['agents@example.com'],
  ...more,
});
const issueOf = (...args: Parameters<typeof headOf>) => mailIssue(headOf(...args), MAILBOX);

describe('the sender of a mail', () => {
  test.each([
    ['in plain words', PASSED],
    ['with a version', 'MX.example.com 1; dmarc=pass header.from=A.EXAMPLE'],
    ['behind comments', 'mx.example.com (a; (nested) b); dmarc = pass reason="ok; fine" header.from = a.example'],
  ])('counts when the mail service says so %s', (_how, results) => {
    expect(issueOf([results])).toBeUndefined();
    expect(issueOf([results, 'mx.example.com; dmarc=fail header.from=a.example'])).toBeUndefined();
    expect(issueOf(['mx.other.example; dmarc=fail header.from=a.example', results])).toBeUndefined();
  });

  test.each([
    ['nobody says anything', []],
    ['another service says it', [PASSED.replace('mx.example.com', 'mx.evil.example')]],
    ['the service says something else above', ['mx.example.com; dmarc=fail header.from=a.example', PASSED]],
    ['the service has not checked it', ['mx.example.com; none', PASSED]],
    ['the result is of another domain', [PASSED.replace('header.from=a.example', 'header.from=evil.example')]],
    ['the result names no domain', ['mx.example.com; dmarc=pass']],
    ['the result is only SPF', ['mx.example.com; spf=pass smtp.mailfrom=a.example']],
    ['the result only begins so', ['mx.example.com; dmarc=passed header.from=a.example']],
    ['the result is in a comment', ['mx.example.com; spf=pass (; dmarc=pass header.from=a.example)']],
    [
      'the result is in what the sender has chosen',
      ['mx.example.com; spf=pass smtp.mailfrom="x; dmarc=pass header.from=a.example"@evil.example'],
    ],
    [
      'there is another result',
      ['mx.example.com; dmarc=fail header.from=a.example; x=y; dmarc=pass header.from=a.example'],
    ],
    ['a quotation does not end', ['mx.example.com; x="; dmarc=pass header.from=a.example']],
    ['a comment does not end', ['mx.example.com; dmarc=pass header.from=a.example (']],
    ['a comment ends twice', ['mx.example.com); dmarc=pass header.from=a.example']],
  ])('is not known while %s', (_why, results) => {
    expect(issueOf(results)).toBe('unauthenticated');
  });

  test.each([
    ['Ada@A.example', 'ada@a.example'],
    [' Ada Lovelace <ada@a.example> ', 'ada@a.example'],
    ['"Lovelace, Ada <eve@a.example>" <ada@a.example>', 'ada@a.example'],
    ['[Ext] =?utf-8?q?Ada?= (sales <eve@a.example>) <ada@a.example>', 'ada@a.example'],
    ['ada@a.example <ada@a.example>', 'ada@a.example'],
    ['"ada@a.example" <ada@a.example>', 'ada@a.example'],
    ['<ada@a.example> <eve@a.example>', undefined],
    ['<ada@a.example> eve@a.example', undefined],
    ['ada@a.example <eve@a.example>', undefined],
    ['ada@a.example eve@a.example', undefined],
    ['ada@a.example <>', undefined],
    ['ada@a.example, eve@a.example', undefined],
    ['team: ada@a.example;', undefined],
    ['<@eve.example:ada@a.example>', undefined],
    ['<ada@a.example', undefined],
    ['eve@a.example\\<ada@a.example>', undefined],
    ['"a da"@a.example', undefined],
    ['a\0da@a.example', undefined],
    ['\u212Aay@a.example', '\u212Aay@a.example'],
    ['', undefined],
  ])('is read of %j', (from, sender) => {
    expect(senderOf(headersOf(['from', from]))).toBe(sender);
  });

  test('has to be one', () => {
    expect(issueOf([PASSED], { sender: undefined })).toBe('faulty');
    expect(senderOf(headersOf(['from', 'ada@a.example'], ['from', 'eve@a.example']))).toBeUndefined();
    expect(senderOf([])).toBeUndefined();
  });
});

describe('a mail of a program', () => {
  test.each([
    ['auto-submitted', 'auto-replied'],
    ['auto-submitted', 'Auto-Generated; owner-email=a@a.example'],
    ['precedence', 'bulk'],
    ['precedence', 'List'],
    ['list-id', '<news.a.example>'],
    ['list-unsubscribe', '<https://a.example>'],
    ['return-path', '<>'],
    ['content-type', 'multipart/report; report-type=delivery-status'],
    ['x-autoreply', 'yes'],
    ['x-auto-response-suppress', 'DR, OOF, AutoReply'],
    ['x-auto-response-suppress', 'All'],
  ])('is known by %s: %s', (key, value) => {
    expect(issueOf([], { headers: [...headOf([PASSED]).headers, { key, value }] })).toBe('automatic');
  });

  test('is one that the mailbox has sent itself', () => {
    expect(issueOf([PASSED], { sender: 'agents@example.com' })).toBe('automatic');
    expect(issueOf([PASSED], { sender: 'agents+1f0c@example.com' })).toBe('automatic');
  });

  test.each([
    ['auto-submitted', 'no'],
    ['precedence', 'normal'],
    ['return-path', '<ada@a.example>'],
    ['content-type', 'multipart/mixed'],
  ])('is none with %s: %s', (key, value) => {
    expect(issueOf([], { headers: [...headOf([PASSED]).headers, { key, value }] })).toBeUndefined();
  });
});

test('a mail to more than a hundred is ignored', () => {
  const recipients = Array.from({ length: 100 }, (_, index) => `p${index}@a.example`);
  expect(issueOf([PASSED], { recipients })).toBeUndefined();
  expect(issueOf([PASSED], { recipients: [...recipients, 'one@a.example'] })).toBe('recipients');
});

describe('an answer', () => {
  test('has a subject of one line', () => {
    expect(subjectOf('Sales\r\nBcc: eve@a.example')).toBe('Sales Bcc: eve@a.example');
    expect(subjectOf('a'.repeat(1_000))).toHaveLength(300);
    expect([replySubject('Sales'), replySubject('RE: Sales'), replySubject('')]).toEqual([
      'Re: Sales',
      'RE: Sales',
      'Re:',
    ]);
  });

  test('refers to an id in its form only', () => {
    expect(referenceTo('<a.b@c.example>')).toBe('<a.b@c.example>');
    for (const id of [undefined, '', 'a@b', '<a b@c>', '<a>\r\nBcc: <b>', `<${'a'.repeat(600)}>`])
      expect(referenceTo(id)).toBeNull();
  });

  test('is replied to at an address with a tag', () => {
    expect(taggedAddress('agents@example.com', 'x1')).toBe('agents+x1@example.com');
    const recipients = ['Agents+X1@Example.com', 'agents@example.com', 'agents+y@other.example', 'b+z@example.com'];
    expect(tagsOf('agents@example.com', recipients)).toEqual(['x1']);
  });
});

describe('withoutQuote', () => {
  test.each([
    ['Yes.\n\nOn Monday, Agents <agents@example.com> wrote:\n> Shall I?\n>\n> Or not?\n', 'Yes.'],
    ['Yes.\r\n\r\nOn Mon, Nov 30, 2026 at 6:43 AM Agents <agents@example.com>\r\nwrote:\r\n\r\n> Shall I?\r\n', 'Yes.'],
    ['Yes.\nPlease do.\n\n> Shall I?', 'Yes.\nPlease do.'],
    ['> Shall I?\n\nYes.', '> Shall I?\n\nYes.'],
    ['> Only quoted', '> Only quoted'],
    ['Nothing quoted:\n\n- a\n', 'Nothing quoted:\n\n- a'],
    ['', ''],
  ])('reads %j as %j', (text, written) => {
    expect(withoutQuote(text)).toBe(written);
  });
});
