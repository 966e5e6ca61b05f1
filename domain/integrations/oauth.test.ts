import { describe, expect, test } from '@jest/globals';
import { INTEGRATION_KIND_KEYS, integrationKind } from './kinds/index.ts';
import { authorizationUrl, oauthAddressesOf, requestFields, tokenSourceOf, usualScopes } from './oauth.ts';

const GOOGLE = ['https://accounts.google.com/o/oauth2/v2/auth', 'https://oauth2.googleapis.com/token'];
const signingIn = INTEGRATION_KIND_KEYS.filter((key) => integrationKind(key).oauth !== undefined);

describe('the addresses of a sign-in', () => {
  test.each([
    ['gmail', 'https://gmail.googleapis.com/gmail/v1', GOOGLE],
    // Whatever the address of the API: nobody else is given what Google grants with.
    ['google_drive', 'https://drive.example.com', GOOGLE],
    [
      'github',
      'https://api.github.com',
      ['https://github.com/login/oauth/authorize', 'https://github.com/login/oauth/access_token'],
    ],
    [
      'github',
      'https://ghe.example.com/api/v3',
      ['https://ghe.example.com/login/oauth/authorize', 'https://ghe.example.com/login/oauth/access_token'],
    ],
    [
      'gitlab',
      'https://git.example.com/lab/api/v4',
      ['https://git.example.com/lab/oauth/authorize', 'https://git.example.com/lab/oauth/token'],
    ],
  ] as const)('of %s at %s are those of the service', (kind, apiUrl, [authorizeUrl, tokenUrl]) => {
    expect(oauthAddressesOf({ kind, apiUrl })).toMatchObject({ authorizeUrl, tokenUrl });
  });

  test('are those of no service where nobody signs in', () => {
    expect(oauthAddressesOf({ kind: 'sentry', apiUrl: 'https://sentry.io/api/0' })).toBeUndefined();
  });
});

test('a person signs in at Google so that the token can be renewed', () => {
  const parts = { clientId: 'c', redirectUrl: 'https://a.example/back', state: 's', challenge: 'x' };
  const kind = integrationKind('google_calendar');
  const url = new URL(authorizationUrl(GOOGLE[0] ?? '', kind, { ...parts, scopes: usualScopes(kind) }));
  expect(Object.fromEntries(url.searchParams)).toEqual({
    access_type: 'offline',
    prompt: 'consent',
    response_type: 'code',
    client_id: 'c',
    redirect_uri: 'https://a.example/back',
    scope: 'https://www.googleapis.com/auth/calendar.events https://www.googleapis.com/auth/calendar.readonly',
    state: 's',
    code_challenge: 'x',
    code_challenge_method: 'S256',
  });
});

test('scopes stand in the address as the service wants them', () => {
  const parts = { clientId: 'c', redirectUrl: 'https://a.example/back', state: 's', challenge: 'x' };
  const kind = integrationKind('linear');
  const url = authorizationUrl('https://linear.app/oauth/authorize', kind, { ...parts, scopes: usualScopes(kind) });
  expect(new URL(url).searchParams.get('scope')).toBe('read,write');
});

test.each(signingIn)('requests of %s carry a token in the place of what it is asked for with', (key) => {
  const kind = integrationKind(key);
  expect(usualScopes(kind)).not.toEqual([]);
  const [field = ''] = requestFields(kind, ['client_id', 'client_secret']);
  expect(kind.authorization).toContainEqual({ in: 'header', field });
  expect(tokenSourceOf(kind, ['token'])).toBeUndefined();
  expect(requestFields(kind, ['token'])).toEqual(['token']);
});
