import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { readSignIn, readSignInCode, stateOfAddress } from './sign-in.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keyFile = {
  type: 'service_account',
  project_id: 'p',
  private_key_id: 'k1',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  client_email: 'agent@p.iam.gserviceaccount.com',
  token_uri: 'http://169.254.169.254/token',
};
const serviceAccount = {
  clientEmail: keyFile.client_email,
  privateKey: keyFile.private_key,
  privateKeyId: 'k1',
};
const aws = { access_key_id: 'AKID', secret_access_key: 'secret' };

function read(providerType: string, credentials: Record<string, unknown>, baseUrl: string | null = null) {
  return readSignIn({ providerType, baseUrl }, credentials);
}

describe('readSignIn', () => {
  test('reads an API key, whatever else there is', () => {
    expect(read('openai', { api_key: 'sk-1', organization: 'o' })).toEqual({
      signIn: { type: 'api_key', apiKey: 'sk-1' },
    });
  });

  test.each([
    ['https://bedrock-runtime.eu-west-1.amazonaws.com', 'eu-west-1'],
    ['https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com/', 'us-gov-west-1'],
    ['https://vpce-0a1b.bedrock-runtime.us-east-1.vpce.amazonaws.com:443/x', 'us-east-1'],
    ['https://bedrock-runtime.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
  ])('finds in %s the region %s', (baseUrl, region) => {
    expect(read('amazon-bedrock', aws, baseUrl)).toEqual({
      signIn: {
        type: 'aws_keys',
        accessKeyId: 'AKID',
        secretAccessKey: 'secret',
        sessionToken: undefined,
        region,
      },
    });
  });

  test.each([null, 'https://bedrock.example.com', 'https://bedrock-runtime.us-east-1.amazonaws.com.evil.example'])(
    'asks for the region where the address (%s) has none',
    (baseUrl) => {
      expect(read('amazon-bedrock', aws, baseUrl)).toEqual({
        issue: expect.stringContaining('region'),
        entry: 'region',
      });
      expect(read('amazon-bedrock', { ...aws, region: 'eu-west-1' }, baseUrl)).toMatchObject({
        signIn: { region: 'eu-west-1' },
      });
    },
  );

  test.each([keyFile, JSON.stringify(keyFile)])(
    'reads the key file of a service account, and none of its addresses',
    (file) => {
      expect(read('google-vertex', { service_account_json: file })).toEqual({
        signIn: { type: 'service_account', serviceAccount },
      });
    },
  );

  test.each<[string, string, Record<string, unknown>, string | undefined]>([
    ['nothing', 'openai', {}, 'api_key'],
    ['nothing where there are several ways', 'azure', {}, undefined],
    ['a key that is no text', 'openai', { api_key: 5 }, 'api_key'],
    ['a key with a line break', 'openai', { api_key: 'a\nb' }, 'api_key'],
    ['half of the keys of AWS', 'amazon-bedrock', { access_key_id: 'AKID' }, 'secret_access_key'],
    ['two ways at once', 'amazon-bedrock', { ...aws, api_key: 'k' }, undefined],
    ['a misspelt entry', 'amazon-bedrock', { ...aws, region: 'eu-west-1', sesion_token: 't' }, undefined],
    ['an odd region', 'amazon-bedrock', { ...aws, region: 'x/../y' }, 'region'],
    [
      'a session token with blanks',
      'amazon-bedrock',
      { ...aws, region: 'eu-west-1', session_token: 'a b' },
      'session_token',
    ],
    [
      'a user of Google in place of a service account',
      'google-vertex',
      { service_account_json: { ...keyFile, type: 'authorized_user' } },
      'service_account_json',
    ],
    [
      'a file with another kind of key',
      'google-vertex',
      { service_account_json: { ...keyFile, private_key: 'abc' } },
      'service_account_json',
    ],
    [
      'a file that is far too long',
      'google-vertex',
      { service_account_json: JSON.stringify({ ...keyFile, x: 'x'.repeat(20_000) }) },
      'service_account_json',
    ],
    ['a file that is not JSON', 'google-vertex', { service_account_json: '{' }, 'service_account_json'],
    ['a key and a token', 'azure', { api_key: 'k', access_token: 't' }, undefined],
  ])('refuses %s in words that quote no value, at the entry', (_what, providerType, credentials, entry) => {
    const result = read(providerType, credentials);
    expect(result).toEqual({ issue: expect.stringMatching(/^must /), ...(entry !== undefined && { entry }) });
    expect(JSON.stringify(result)).not.toMatch(/BEGIN|secret"/);
  });
});

test.each([
  [' a-code\n', { code: 'a-code', state: undefined }],
  ['a-code#a-state', { code: 'a-code', state: 'a-state' }],
  ['4/0Abc-_x', { code: '4/0Abc-_x', state: undefined }],
  ['http://localhost:1455/auth/callback?code=a%2Fcode&state=a-state', { code: 'a/code', state: 'a-state' }],
  ['https://platform.claude.com/callback?state=s&code=c#fragment', { code: 'c', state: 's' }],
])('reads %j', (copied, expected) => {
  expect(readSignInCode(copied)).toEqual(expected);
});

test.each([
  '',
  '#a-state',
  'a code',
  'one\ntwo',
  'https://claude.ai/callback?error=access_denied',
  'https://x.y/?code=%zz',
])('finds no code in %j', (copied) => {
  expect(readSignInCode(copied)).toBeUndefined();
});

test('finds the state that a page gives back in its address, where that shows one', () => {
  expect(stateOfAddress('https://claude.ai/oauth/authorize?code=true&state=a-state&x=1')).toBe('a-state');
  expect(stateOfAddress('https://claude.ai/oauth/authorize?opaque')).toBeUndefined();
  expect(stateOfAddress(null)).toBeUndefined();
});
