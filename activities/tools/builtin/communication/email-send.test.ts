import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { makeCertificate } from '../../../../test/support/certificate.ts';
import {
  createTestTools,
  prepareCall,
  type TestIntegration,
  type TestTools,
} from '../../../../test/support/tool-context.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { digestOf } from '../../call/execute-call.ts';
import { CallChanged, NOTHING_ELSE, type ToolArguments } from '../../tool.ts';
import { emailSend } from './email-send.ts';

const PASSWORD = 'the-password-of-the-sender';
const MAIL = { to: ['Ada <ada@example.com>'], subject: 'Hello', text: 'Hello Ada' };

interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly mail: string;
  readonly isSecure: boolean;
}

let tools: TestTools;
let servers: SMTPServer[];
let dropper: Server;
const received: Received[] = [];

function smtpServer(options: ConstructorParameters<typeof SMTPServer>[0]): SMTPServer {
  const server = new SMTPServer({
    ...options,
    onAuth: ({ username, password }, _session, done) =>
      username === 'agents' && password === PASSWORD ? done(null, { user: 'agents' }) : done(new Error('no')),
    onRcptTo: ({ address }, _session, done) => done(address.startsWith('nobody@') ? new Error('no such user') : null),
    onData: (stream, { envelope, secure }, done) => {
      const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
      const keep = async (): Promise<void> => {
        const mail = await text(stream);
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), mail, isSecure: secure });
        done(null);
      };
      void keep();
    },
  });
  server.on('error', () => undefined);
  return server;
}

async function portOf(server: SMTPServer): Promise<number> {
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return (listening.address() as AddressInfo).port;
}

beforeAll(async () => {
  const certificate = await makeCertificate();
  servers = [
    smtpServer({ ...certificate, secure: true }),
    smtpServer({ ...certificate, secure: false }),
    smtpServer({ secure: false, hideSTARTTLS: true, allowInsecureAuth: true }),
  ];
  const [secure, upgraded, open] = await Promise.all(servers.map(portOf));
  // Takes a mail whole, and then says nothing any more.
  dropper = createServer((socket) => {
    socket.on('error', () => undefined).write('220 hello\r\n');
    socket.on('data', (data: Buffer) => {
      const said = data.toString();
      if (said.includes('\r\n.\r\n')) socket.destroy();
      else socket.write(said.startsWith('DATA') ? '354 go on\r\n' : '250 ok\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(dropper, 'listening');
  const dropping = (dropper.address() as AddressInfo).port;
  const at = {
    kind: 'smtp',
    fields: [],
    secretPlaces: [],
    settings: { from: 'Our agents <agents@example.org>' },
    secrets: { user: 'agents', password: PASSWORD, ca: certificate.cert },
  } as const;
  const integrations: TestIntegration[] = [
    { ...at, name: 'secure', apiUrl: `smtps://127.0.0.1:${secure}` },
    { ...at, name: 'upgraded', apiUrl: `smtp://127.0.0.1:${upgraded}` },
    { ...at, name: 'stripped', apiUrl: `smtp://127.0.0.1:${open}` },
    { ...at, name: 'open', apiUrl: `smtp://127.0.0.1:${open}`, settings: { ...at.settings, tls: 'off' } },
    { ...at, name: 'unknown', apiUrl: `smtps://127.0.0.1:${secure}`, secrets: { user: 'agents', password: PASSWORD } },
    {
      ...at,
      name: 'unknown upgraded',
      apiUrl: `smtp://127.0.0.1:${upgraded}`,
      secrets: { user: 'agents', password: PASSWORD },
    },
    {
      ...at,
      name: 'stranger',
      apiUrl: `smtps://127.0.0.1:${secure}`,
      secrets: { ...at.secrets, password: 'something-else' },
    },
    { ...at, name: 'elsewhere', apiUrl: 'smtps://127.0.0.1:1' },
    {
      ...at,
      name: 'dropping',
      apiUrl: `smtp://127.0.0.1:${dropping}`,
      settings: { ...at.settings, tls: 'off' },
      secrets: {},
    },
  ];
  const privateHosts = [secure, upgraded, open, dropping].map((port) => `127.0.0.1:${port}`).join(',');
  tools = await createTestTools({ privateHosts, integrations });
});
afterAll(async () => {
  await tools.close();
  dropper.close();
  await Promise.all(servers.map((server) => new Promise((done) => server.close(() => done(null)))));
});
beforeEach(() => {
  received.length = 0;
});

const send = async (args: ToolArguments, integration = 'secure') =>
  (await prepareCall(emailSend, { integration, ...args }).run(tools.context)).value as {
    readonly message_id: string;
    readonly accepted: readonly string[];
  };

describe('email_send', () => {
  test('sends a mail with all that belongs to it, and waits for a person before', async () => {
    await tools.context.workspace.write(filePath('reports/März.csv'), Buffer.from('a,b\n1,2\n'), {
      overwrite: true,
      createFolders: true,
      isForeign: false,
    });
    const args = {
      ...MAIL,
      html: '<p>Hello <b>Ada</b></p><img src="http://127.0.0.1/x.png">',
      cc: ['"Bob, B." <bob@example.com>'],
      bcc: ['carol@example.com'],
      reply_to: 'desk@example.org',
      in_reply_to: '<first@example.com>',
      attachments: ['reports/März.csv'],
    };
    expect(emailSend.prepare(args)).toMatchObject({ effect: 'once', approval: 'always' });
    const sent = await send(args);
    expect(sent.accepted).toEqual(['ada@example.com', 'bob@example.com', 'carol@example.com']);
    expect(received).toMatchObject([{ from: 'agents@example.org', to: sent.accepted, isSecure: true }]);
    const mail = await PostalMime.parse(received[0]?.mail ?? '', { attachmentEncoding: 'utf8' });
    expect(mail).toMatchObject({
      from: { name: 'Our agents', address: 'agents@example.org' },
      to: [{ name: 'Ada', address: 'ada@example.com' }],
      cc: [{ name: 'Bob, B.', address: 'bob@example.com' }],
      replyTo: [{ address: 'desk@example.org' }],
      subject: 'Hello',
      inReplyTo: '<first@example.com>',
      references: '<first@example.com>',
      messageId: sent.message_id,
      attachments: [{ filename: 'März.csv', content: 'a,b\n1,2\n' }],
    });
    expect(mail.text?.trim()).toBe('Hello Ada');
    expect(received[0]?.mail).not.toContain('carol');
  });

  test('shows what is attached, and sends nothing when that has changed since it was approved', async () => {
    const options = { overwrite: true, createFolders: true, isForeign: false };
    const write = async (text: string) =>
      tools.context.workspace.write(filePath('offer.txt'), Buffer.from(text), options);
    const args = { ...MAIL, integration: 'secure', attachments: ['offer.txt', 'none.txt'] };
    await write('100 EUR');
    const description = await emailSend.describe?.(args, tools.context);
    expect(description?.details.slice(-2)).toEqual([
      { label: 'File', value: expect.stringMatching(/^offer\.txt: 7 bytes, SHA-256 [0-9a-f]{64}$/) },
      { label: 'File', value: expect.stringContaining('none.txt: ') },
    ]);
    const one = { ...args, attachments: ['offer.txt'] };
    const approved = digestOf((await emailSend.describe?.(one, tools.context)) ?? NOTHING_ELSE);
    await write('999 EUR');
    const run = async () => emailSend.run?.(one, { ...tools.options, contextFor: () => tools.context, approved });
    expect(await run()).toMatchObject({ status: 'error', changed: { details: expect.any(Array) } });
    expect(received).toEqual([]);
    await write('100 EUR');
    expect(await run()).toMatchObject({ status: 'success' });
    expect(received).toHaveLength(1);
  });

  test('sends nothing when a file changes after it was compared with what was approved', async () => {
    const options = { overwrite: true, createFolders: true, isForeign: false };
    const { workspace } = tools.context;
    const write = async (text: string) => workspace.write(filePath('offer.txt'), Buffer.from(text), options);
    await write('100 EUR');
    const args = { ...MAIL, integration: 'secure', attachments: ['offer.txt'] };
    const description = (await emailSend.describe?.(args, tools.context)) ?? NOTHING_ELSE;
    await write('999 EUR');
    const call = prepareCall(emailSend, args);
    await expect(call.run(tools.context, description.basis)).rejects.toBeInstanceOf(CallChanged);
    expect(received).toEqual([]);
    await write('100 EUR');
    await call.run(tools.context, description.basis);
    expect(received).toHaveLength(1);
  });

  test('reads a file that is named twice once to describe it, and no more than a mail takes', async () => {
    const options = { overwrite: true, createFolders: true, isForeign: false };
    for (const name of ['one', 'two', 'three'])
      await tools.context.workspace.write(filePath(name), Buffer.alloc(9_000_000), options);
    const args = { ...MAIL, integration: 'secure', attachments: ['one', 'one', 'two', 'three', 'four'] };
    const description = await emailSend.describe?.(args, tools.context);
    expect(description?.details.filter(({ label }) => label === 'File').map(({ value }) => value)).toEqual([
      expect.stringMatching(/^one: .* SHA-256/),
      expect.stringMatching(/^two: .* SHA-256/),
      expect.stringMatching(/^three: more than the .* that can be sent$/),
    ]);
  });

  test('gives a mail that is sent again the same id', async () => {
    const [first, second] = [await send(MAIL), await send(MAIL)];
    expect(second.message_id).toBe(first.message_id);
    expect(first.message_id).toMatch(/^<[0-9a-f]{32}@example\.org>$/);
  });

  test.each([
    ['to', ['ada@example.com\r\nBcc: eve@example.com']],
    ['to', ['ada@example.com, eve@example.com']],
    ['to', ['Ada\r\nBcc: eve@example.com <ada@example.com>']],
    ['to', ['ada@example.com> <eve@example.com']],
    ['to', ['ada']],
    ['to', []],
    ['cc', ['group: eve@example.com;']],
    ['reply_to', 'a@example.com\nX: y'],
    ['subject', 'Hello\r\nBcc: eve@example.com'],
    ['in_reply_to', '<a@example.com>\r\nBcc: eve@example.com'],
  ])('refuses a header that would become another one: %s %j', (name, value) => {
    expect(() => prepareCall(emailSend, { ...MAIL, [name]: value })).toThrow();
  });

  test('attaches nothing but files of the workspace', async () => {
    await expect(send({ ...MAIL, attachments: ['../../etc/passwd'] })).rejects.toMatchObject({ kind: 'invalid_input' });
    await expect(send({ ...MAIL, attachments: ['/etc/passwd'] })).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(received).toEqual([]);
  });

  test.each([
    ['upgraded', true],
    ['open', false],
  ])('sends by the server %s, encrypted: %j', async (integration, isSecure) => {
    await send(MAIL, integration);
    expect(received).toMatchObject([{ isSecure }]);
  });

  test.each([
    ['stripped', /offers no encryption \(the setting tls allows that\)/, 'upstream'],
    ['unknown', /its certificate is invalid/, 'upstream'],
    ['unknown upgraded', /or its certificate is invalid/, 'upstream'],
    ['stranger', /SMTP has rejected the credentials/, 'denied'],
    ['elsewhere', /leads to a private address/, 'denied'],
  ])('sends nothing, and no password, by the server %s', async (integration, message, kind) => {
    const failure = send(MAIL, integration);
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.toMatchObject({ kind, isUncertain: false });
    await expect(failure).rejects.not.toThrow(PASSWORD);
    expect(received).toEqual([]);
  });

  test('names who was rejected', async () => {
    const sent = await send({ ...MAIL, cc: ['nobody@example.com'] });
    expect(sent).toMatchObject({ accepted: ['ada@example.com'], rejected: ['nobody@example.com'] });
    await expect(send({ ...MAIL, to: ['nobody@example.com'] })).rejects.toMatchObject({
      kind: 'invalid_input',
      isForeign: true,
      isUncertain: false,
    });
  });

  test('leaves it open whether a mail was sent whose receipt was lost', async () => {
    await expect(send(MAIL, 'dropping')).rejects.toMatchObject({ kind: 'upstream', isUncertain: true });
  });
});
