import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeCertificate } from '../../../../test/support/certificate.ts';
import { describeWithProgram } from '../../../../test/support/describe-with-program.ts';
import { type DovecotServer, startDovecot } from '../../../../test/support/dovecot-server.ts';
import {
  createTestTools,
  prepareCall,
  type TestIntegration,
  type TestTools,
} from '../../../../test/support/tool-context.ts';
import type { ToolArguments } from '../../tool.ts';
import { emailRead } from './email-read.ts';

const PASSWORD = 'the-password-of-the-mailbox';
const PLAIN = `From: Ada <ada@example.com>
To: agents@example.com, "Bob, B." <bob@example.com>
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=
Date: Sat, 28 Feb 2026 10:00:00 +0100
Message-ID: <one@example.com>
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Ein Gru=C3=9F und ${PASSWORD}.
`;
const RICH = `From: shop@example.com
To: agents@example.com
Subject: Your invoice
Date: Sun, 01 Mar 2026 10:00:00 +0000
Message-ID: <two@example.com>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/html; charset=utf-8

<h1>Invoice</h1><script>steal()</script><p>Pay <b>now</b>.</p>
--b
Content-Type: application/octet-stream
Content-Disposition: attachment; filename="../../.ssh/authorized_keys"
Content-Transfer-Encoding: base64

AP8=
--b--
`;

test.each([
  ['list', {}, 'read', 'writes'],
  ['get', { uid: 1 }, 'read', 'writes'],
  ['save_attachments', { uid: 1 }, 'keyed', 'never'],
  ['mark', { uid: 1, seen: true }, 'keyed', 'writes'],
  ['move', { uid: 1, to_folder: 'x' }, 'keyed', 'writes'],
])('%s with %j is %s, and waits for a person: %s', (action, more, effect, approval) => {
  expect(emailRead.prepare({ action, ...more })).toMatchObject({ effect, approval });
});

describeWithProgram('a mailbox', ['dovecot'], (path) => {
  let server: DovecotServer;
  let tools: TestTools;
  const use = async (action: string, args: ToolArguments = {}) => {
    const output = await prepareCall(emailRead, { action, integration: 'mailbox', ...args }).run(tools.context);
    expect(output.isForeign).toBe(true);
    return output.value;
  };
  beforeAll(async () => {
    const certificate = await makeCertificate();
    server = await startDovecot(path, { password: PASSWORD, certificate, mails: [PLAIN, RICH] });
    const at = {
      kind: 'imap',
      apiUrl: `imaps://127.0.0.1:${server.securePort}`,
      fields: [],
      secretPlaces: [],
      secrets: { user: 'agents', password: PASSWORD, ca: certificate.cert },
    } as const;
    const open = `imap://127.0.0.1:${server.port}`;
    const integrations: TestIntegration[] = [
      { ...at, name: 'mailbox' },
      { ...at, name: 'upgraded', apiUrl: open },
      { ...at, name: 'unknown', secrets: { user: 'agents', password: PASSWORD } },
      { ...at, name: 'unknown upgraded', apiUrl: open, secrets: { user: 'agents', password: PASSWORD } },
      { ...at, name: 'stranger', secrets: { ...at.secrets, password: 'something-else' } },
      { ...at, name: 'elsewhere', apiUrl: 'imaps://127.0.0.1:1' },
    ];
    const privateHosts = `127.0.0.1:${server.port},127.0.0.1:${server.securePort}`;
    tools = await createTestTools({ privateHosts, integrations });
  });
  afterAll(async () => {
    await tools.close();
    await server.stop();
  });

  test('lists mails, newest first, page by page', async () => {
    const first = {
      mails: [expect.objectContaining({ uid: 2, subject: 'Your invoice', seen: false })],
      total: 2,
      next: 2,
    };
    expect(await use('list', { limit: 1 })).toEqual(first);
    const [rest] = [await use('list', { limit: 1, before_uid: 2 })];
    expect(rest).toEqual({
      mails: [
        {
          uid: 1,
          date: '2026-02-28T09:00:00.000Z',
          from: 'Ada <ada@example.com>',
          to: 'agents@example.com, Bob, B. <bob@example.com>',
          subject: 'Grüße',
          seen: false,
          flagged: false,
          bytes: expect.any(Number),
        },
      ],
      total: 1,
    });
    expect(await use('folders')).toEqual({ folders: expect.arrayContaining(['INBOX', 'Archive']) });
  });

  test.each<[ToolArguments, number[]]>([
    [{ from: 'ada@' }, [1]],
    [{ subject: 'invoice' }, [2]],
    [{ text: 'Pay' }, [2]],
    [{ since: '2026-03-01' }, [2]],
    [{ before: '2026-03-01', seen: false }, [1]],
    [{ from: 'x" OR 1 DELETED\r\nA1 LOGOUT' }, []],
  ])('finds what fits %j', async (query, uids) => {
    const { mails } = (await use('search', { query })) as { mails: { uid: number }[] };
    expect(mails.map(({ uid }) => uid)).toEqual(uids);
  });

  test('reads a mail without marking it, and masks the password in it', async () => {
    expect(await use('get', { uid: 1 })).toMatchObject({
      from: 'Ada <ada@example.com>',
      subject: 'Grüße',
      message_id: '<one@example.com>',
      text: 'Ein Gruß und ***.',
      attachments: [],
    });
    const { mails } = (await use('list')) as { mails: { seen: boolean }[] };
    expect(mails.map(({ seen }) => seen)).toEqual([false, false]);
  });

  test('reads the text of HTML, and keeps attachments where their names cannot lead out', async () => {
    expect(await use('get', { uid: 2 })).toMatchObject({
      text: expect.stringMatching(/^Invoice\s+Pay now\.$/),
      attachments: [{ name: expect.any(String), type: 'application/octet-stream', bytes: 2 }],
    });
    const { saved } = (await use('save_attachments', { uid: 2 })) as { saved: string[] };
    expect(saved).toEqual([expect.stringMatching(/^mail-attachments\/2\/1-[^/]+$/)]);
    expect([...(await readFile(join(tools.home, saved[0] ?? '')))]).toEqual([0, 255]);
  });

  test('marks and moves a mail, and says when it is gone', async () => {
    expect(await use('mark', { uid: 1, seen: true, flagged: true })).toEqual({ marked: true });
    const { mails } = (await use('search', { query: { flagged: true } })) as { mails: object[] };
    expect(mails).toMatchObject([{ uid: 1, seen: true, flagged: true }]);
    await expect(use('move', { uid: 1, to_folder: 'Nowhere' })).rejects.toThrow('no folder Nowhere');
    expect(await use('move', { uid: 1, to_folder: 'Archive' })).toEqual({ moved: true });
    expect(await use('move', { uid: 1, to_folder: 'Archive' })).toMatchObject({ moved: false });
    expect(await use('list', { folder: 'Archive' })).toMatchObject({ total: 1, mails: [{ subject: 'Grüße' }] });
    await expect(use('get', { uid: 1 })).rejects.toMatchObject({ kind: 'not_found' });
    await expect(use('list', { folder: 'Nowhere' })).rejects.toThrow();
  });

  test('is signed in to over STARTTLS too', async () => {
    expect(await use('list', { integration: 'upgraded' })).toMatchObject({ mails: expect.any(Array) });
  });

  test.each([
    ['stranger', 'IMAP has rejected the credentials'],
    ['unknown', 'its certificate is invalid'],
    ['unknown upgraded', 'its certificate is invalid'],
    ['elsewhere', 'leads to a private address'],
  ])('is not entered with the integration %s', async (integration, message) => {
    const failure = use('list', { integration });
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.not.toThrow(PASSWORD);
  });
});

describe('a mail of a stranger', () => {
  test('is taken apart in bounds', async () => {
    const tools = await createTestTools();
    const nested = 'Content-Type: multipart/mixed; boundary=b\n\n--b\n'.repeat(2_000);
    const parts = `Content-Type: multipart/mixed; boundary=b\n\n${'--b\nContent-Disposition: attachment\n\nx\n'.repeat(500)}`;
    const read = async (mail: string) =>
      tools.context.compute({ kind: 'mail_read' }, { document: async () => Buffer.from(mail) });
    await expect(read(nested)).rejects.toThrow();
    const { attachments } = JSON.parse(await read(parts)) as { attachments: unknown[] };
    expect(attachments).toHaveLength(100);
    await tools.close();
  });
});
