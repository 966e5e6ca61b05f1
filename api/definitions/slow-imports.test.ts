import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { upload } from '../../test/support/file-exchange.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

const MEGABYTE = 1024 ** 2;
/** So many archives of 2 MB a user has room for at a time. */
const ROOM = 8;
const HEAD = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n';
const served = serveTestApi({ bodyTimeMs: 3_000 });
let user: TestUser;
let senders: SlowSender[];
beforeEach(async () => {
  user = await registerUser(served.url);
  senders = [];
});
afterEach(() => {
  for (const sender of senders) sender.hangUp();
});

interface SlowSender {
  /** What it was answered, once the server has closed the connection. */
  readonly answer: Promise<string>;
  hangUp(): void;
}

/** Declares an archive of a length and sends a byte now and then, whatever it is answered. */
async function sendSlowly(path: string, type: string, length: number): Promise<void> {
  const { hostname, port } = new URL(served.url);
  const socket: Socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.on('error', () => undefined);
  let text = '';
  socket.on('data', (data: Buffer) => (text += data.toString('latin1')));
  await once(socket, 'connect');
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${user.accessToken}\r\n` +
      `Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${type.startsWith('multipart') ? HEAD : 'P'}`,
  );
  const dribble = setInterval(() => socket.write('x'), 50);
  const answer = new Promise<string>((resolve) => {
    socket.once('close', () => {
      clearInterval(dribble);
      resolve(text);
    });
  });
  senders.push({ answer, hangUp: () => socket.destroy() });
}

async function statusOfLarge(): Promise<number> {
  return (await upload(user, '/api/skills/import', Buffer.alloc(2 * MEGABYTE), 'application/zip')).status;
}

test.each([
  ['/api/tools/import', 'multipart/form-data; boundary=x'],
  ['/api/skills/import', 'multipart/form-data; boundary=x'],
  ['/api/personas/import', 'application/zip'],
])(
  'an archive that is sent to %s slowly, as %s, has the time of other bodies',
  async (path, type) => {
    for (let each = 0; each < ROOM; each += 1) await sendSlowly(path, type, 2 * MEGABYTE);
    await waitUntil('all room to be taken', async () => {
      if ((await statusOfLarge()) === 429) return true;
      // The question may have taken the room of a sender.
      await sendSlowly(path, type, 2 * MEGABYTE);
      return undefined;
    });
    for (const { answer } of senders) expect(await answer).toMatch(/^HTTP\/1\.1 4(?:08|29) /);
    expect(await statusOfLarge()).toBe(422);
  },
  15_000,
);

test('a small archive takes no more room than it declares', async () => {
  for (let each = 0; each < 3 * ROOM; each += 1)
    await sendSlowly('/api/skills/import', 'multipart/form-data; boundary=x', 100 * 1024);
  expect(await statusOfLarge()).toBe(422);
  for (const { answer } of senders) expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
}, 15_000);
