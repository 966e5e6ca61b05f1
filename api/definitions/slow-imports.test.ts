import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { upload } from '../../test/support/file-exchange.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

const MEGABYTE = 1024 ** 2;
/** So many archives of 2 MB a user has room for at a time. */
const ROOM = 8;
const FORM = 'multipart/form-data; boundary=x';
const HEAD = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n';
const served = serveTestApi({ bodyTimeMs: 3_000 });

/** An archive that is sent a byte now and then. */
interface SlowArchive {
  readonly path: string;
  readonly type: string;
  /** The declared length in bytes. */
  readonly length: number;
}

/** Starts sending whatever is answered. Returns a promise of the answers by the time the server hangs up. */
async function sendSlowly(user: TestUser, { path, type, length }: SlowArchive): Promise<{ answers: Promise<string> }> {
  const { hostname, port } = new URL(served.url);
  const socket: Socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.on('error', () => undefined);
  let text = '';
  socket.on('data', (data: Buffer) => (text += data.toString('latin1')));
  await once(socket, 'connect');
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${user.accessToken}\r\n` +
      `Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${type === FORM ? HEAD : 'P'}`,
  );
  const dribble = setInterval(() => socket.write('x'), 50);
  const answers = new Promise<string>((resolve) => {
    socket.once('close', () => {
      clearInterval(dribble);
      resolve(text);
    });
  });
  return { answers };
}

async function statusOfLarge(user: TestUser): Promise<number> {
  return (await upload(user, '/api/skills/import', Buffer.alloc(2 * MEGABYTE), 'application/zip')).status;
}

test('an archive that is sent slowly has the time of other bodies, whatever it is of', async () => {
  const fill = async (path: string, type: string) => {
    const user = await registerUser(served.url);
    const archive = { path, type, length: 2 * MEGABYTE };
    const sent: { answers: Promise<string> }[] = [];
    for (let each = 0; each < ROOM; each += 1) sent.push(await sendSlowly(user, archive));
    await waitUntil('all room to be taken', async () => {
      if ((await statusOfLarge(user)) === 429) return true;
      // The question may have taken the room of a sender.
      sent.push(await sendSlowly(user, archive));
      return undefined;
    });
    for (const { answers } of sent) expect(await answers).toMatch(/^HTTP\/1\.1 4(?:08|29) /);
    expect(await statusOfLarge(user)).toBe(422);
  };
  // At once, so that the time is waited for once.
  await Promise.all([
    fill('/api/tools/import', FORM),
    fill('/api/skills/import', FORM),
    fill('/api/personas/import', 'application/zip'),
  ]);
});

test('a small archive takes no more room than it declares', async () => {
  const user = await registerUser(served.url);
  const sent: { answers: Promise<string> }[] = [];
  for (let each = 0; each < 3 * ROOM; each += 1)
    sent.push(await sendSlowly(user, { path: '/api/skills/import', type: FORM, length: 100 * 1024 }));
  expect(await statusOfLarge(user)).toBe(422);
  for (const { answers } of sent) expect(await answers).toMatch(/^HTTP\/1\.1 408 /);
});
