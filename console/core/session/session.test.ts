import { afterEach, describe, expect, test } from '@jest/globals';
import { serveScript } from '../../../test/support/console/scripted-api.ts';
import { createApi } from '../http/api-client.ts';
import { Problem } from '../http/problem.ts';
import { Session } from './session.ts';

const REFRESH = 'POST /api/auth/browser-session/refresh';
const issued = (token: string, seconds = 3600) => ({ body: { access_token: token, expires_in: seconds } });

const script = serveScript();
const opened: Session[] = [];
afterEach(() => {
  for (const session of opened.splice(0)) session.close();
});

function newSession(): Session {
  const session = new Session();
  opened.push(session);
  return session;
}

const refreshes = () => script.requests.filter(({ path }) => path.endsWith('/refresh')).length;

describe('Session', () => {
  test('asks once for a token, however many need it at a time', async () => {
    script.answer({ [REFRESH]: issued('one') });
    const session = newSession();
    const tokens = await Promise.all([session.accessToken(), session.accessToken(), session.accessToken()]);
    expect(tokens).toEqual(['one', 'one', 'one']);
    expect([await session.accessToken(), refreshes(), session.state]).toEqual(['one', 1, 'open']);
  });

  test('asks for another token before the one of now ends', async () => {
    script.answer({ [REFRESH]: issued('one', 30) });
    const session = newSession();
    await session.accessToken();
    script.answer({ [REFRESH]: issued('two') });
    expect(await session.accessToken()).toBe('two');
  });

  test('gives its token to the other tabs, which then ask for none', async () => {
    script.answer({ [REFRESH]: issued('one') });
    const [first, second] = [newSession(), newSession()];
    const told = new Promise<void>((resolve) => second.subscribe(resolve));
    await first.open();
    await told;
    expect([await second.accessToken(), refreshes()]).toEqual(['one', 1]);
  });

  test('is over in all tabs when one signs out, also when the server is away', async () => {
    script.answer({ [REFRESH]: issued('one'), 'DELETE /api/auth/browser-session': { status: 503, body: {} } });
    const [first, second] = [newSession(), newSession()];
    await first.open();
    await second.open();
    const told = new Promise<void>((resolve) => second.subscribe(resolve));
    await expect(first.signOut()).rejects.toBeInstanceOf(Problem);
    await told;
    expect([first.state, second.state, await second.accessToken()]).toEqual(['none', 'none', undefined]);
  });

  test('stays open when the server cannot be asked, and throws that', async () => {
    script.answer({ [REFRESH]: issued('one', 30) });
    const session = newSession();
    await session.open();
    script.answer({ [REFRESH]: { status: 503, headers: { 'retry-after': '2' }, body: { detail: 'away' } } });
    await expect(session.accessToken()).rejects.toMatchObject({ status: 503, retryAfterSeconds: 2, isPassing: true });
    expect(session.state).toBe('open');
  });

  test('has ended, and is not merely closed, when it had been open', async () => {
    script.answer({ [REFRESH]: issued('one', 30) });
    const session = newSession();
    await session.open();
    script.answer({ [REFRESH]: { status: 401, body: { detail: 'ended' } } });
    expect([await session.accessToken(), session.state]).toEqual([undefined, 'ended']);
  });
});

describe('the api client', () => {
  test('sends a request once more with a new token when the old one was not taken', async () => {
    script.answer({ [REFRESH]: issued('one'), 'POST /api/chats': { status: 401, body: { detail: 'expired' } } });
    const session = newSession();
    await session.open();
    script.answer({ [REFRESH]: issued('two'), 'POST /api/chats': { status: 401, body: { detail: 'expired' } } });
    await createApi(session).POST('/api/chats', { body: { agent_id: 'an-id' } });
    const sent = script.requests.filter(({ path }) => path === '/api/chats');
    expect(sent.map(({ headers, body }) => [headers.authorization, body])).toEqual([
      ['Bearer one', '{"agent_id":"an-id"}'],
      ['Bearer two', '{"agent_id":"an-id"}'],
    ]);
  });

  test('leaves credentials alone that a request brings itself', async () => {
    script.answer({ [REFRESH]: issued('one'), 'POST /api/auth/logout': { status: 204 } });
    const session = newSession();
    await session.open();
    await createApi(session).POST('/api/auth/logout', { headers: { Authorization: 'Bearer own' } });
    expect(script.requests.at(-1)?.headers.authorization).toBe('Bearer own');
  });
});
