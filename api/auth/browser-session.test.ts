import { beforeAll, describe, expect, test } from '@jest/globals';
import { ApiClient } from '../../test/support/api-client.ts';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';

const served = serveTestApi();
const PATH = '/api/auth/browser-session';
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };
let user: TestUser;
let page: ApiClient;
beforeAll(async () => {
  user = await registerUser(served.url);
  page = new ApiClient(served.url);
});

interface SignIn {
  readonly access_token: string;
  readonly expires_in: number;
  readonly user_id: string;
  readonly user: { readonly email: string };
}

async function signIn() {
  const { email, password } = user;
  const answer = await page.post<SignIn>(PATH, { email, password }, OWN_PAGE);
  const [cookie = ''] = answer.headers.getSetCookie();
  return { ...answer, cookie, pageHeaders: { ...OWN_PAGE, cookie: cookie.split(';')[0] ?? '' } };
}

const refresh = async (headers: Record<string, string>) => page.post<SignIn>(`${PATH}/refresh`, undefined, headers);

describe('POST /api/auth/browser-session', () => {
  test('answers an access token, and a cookie that only these routes get and no page can read', async () => {
    const { status, json, cookie } = await signIn();
    expect([status, json.user.email]).toEqual([200, user.email]);
    expect(Object.keys(json)).not.toContain('refresh_token');
    expect((await page.as(json.access_token).get('/api/users/me')).status).toBe(200);
    expect(cookie).toMatch(
      /^__Secure-everturn=et_web_[^;]+; Path=\/api\/auth\/browser-session; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/,
    );
  });

  test('answers 401 and no cookie to a wrong password', async () => {
    const answer = await page.post(PATH, { email: user.email, password: 'wrong wrong' }, OWN_PAGE);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []]);
  });

  test('is listed among the sign-ins of its user, and can be ended there', async () => {
    const { json, pageHeaders } = await signIn();
    const client = page.as(json.access_token);
    const listed = await client.get<{ id: string; is_current: boolean }[]>('/api/users/me/sessions');
    const own = listed.json.find(({ is_current: isCurrent }) => isCurrent);
    expect((await user.client.delete(`/api/users/me/sessions/${own?.id}`)).status).toBe(204);
    expect((await refresh(pageHeaders)).status).toBe(401);
  });
});

describe('POST /api/auth/browser-session/refresh', () => {
  test('answers access tokens as often as it is asked, several at once too, and keeps the secret', async () => {
    const { pageHeaders, cookie } = await signIn();
    const answers = await Promise.all([refresh(pageHeaders), refresh(pageHeaders), refresh(pageHeaders)]);
    for (const { status, json, headers } of answers) {
      expect([status, json.expires_in > 3500, json.user_id]).toEqual([200, true, user.id]);
      expect(headers.getSetCookie()).toEqual([cookie]);
      expect((await page.as(json.access_token).get('/api/users/me')).status).toBe(200);
    }
  });

  test('notes what the browser calls itself, which an update of it changes', async () => {
    const { pageHeaders, json } = await signIn();
    const shown = async () => {
      const listed = await page.as(json.access_token).get<Record<string, unknown>[]>('/api/users/me/sessions');
      return listed.json.find(({ is_current: isCurrent }) => isCurrent === true);
    };
    expect(await shown()).toMatchObject({ user_agent: 'node', ip_address: '127.0.0.1' });
    expect((await refresh({ ...pageHeaders, 'user-agent': 'Firefox/200' })).status).toBe(200);
    expect(await shown()).toMatchObject({ user_agent: 'Firefox/200', ip_address: '127.0.0.1' });
  });

  test('answers 401 without the cookie, to a secret that was made up, and to one with another secret part', async () => {
    const { pageHeaders } = await signIn();
    const changed = pageHeaders.cookie.slice(0, -1) + (pageHeaders.cookie.endsWith('A') ? 'B' : 'A');
    for (const cookie of ['', '__Secure-everturn=', '__Secure-everturn=et_web_made-up', changed])
      expect([cookie, (await refresh({ ...OWN_PAGE, cookie })).status]).toEqual([cookie, 401]);
  });

  test('takes the Origin of a browser that sends no Sec-Fetch-Site, if it is that of this server', async () => {
    const { pageHeaders } = await signIn();
    const { cookie } = pageHeaders;
    expect((await refresh({ cookie, origin: served.url })).status).toBe(200);
    for (const headers of [
      { cookie },
      { cookie, origin: 'null' },
      { cookie, origin: 'https://elsewhere.example.com' },
      { cookie, origin: served.url, 'sec-fetch-site': 'cross-site' },
    ])
      expect([headers, (await refresh(headers)).status]).toEqual([headers, 403]);
  });

  test('cannot be continued with the tokens of programs', async () => {
    const { json } = await signIn();
    const answer = await page.post('/api/auth/refresh', { refresh_token: json.access_token });
    expect(answer.status).toBe(401);
  });
});

describe('DELETE /api/auth/browser-session', () => {
  test('ends the session with its access tokens, and removes the cookie', async () => {
    const { json, pageHeaders } = await signIn();
    const answer = await page.send('DELETE', PATH, undefined, pageHeaders);
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__Secure-everturn=; .*Max-Age=0;/);
    expect((await page.as(json.access_token).get('/api/users/me')).status).toBe(401);
    expect((await refresh(pageHeaders)).status).toBe(401);
    expect((await page.send('DELETE', PATH, undefined, pageHeaders)).status).toBe(204);
  });
});

describe('GET /api/server', () => {
  test('shows strangers the version, who may register, and whether anybody has', async () => {
    const { status, json } = await page.get('/api/server');
    expect([status, json]).toEqual([
      200,
      {
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        registration: 'open',
        has_accounts: true,
        needs_setup_token: false,
      },
    ]);
  });
});
