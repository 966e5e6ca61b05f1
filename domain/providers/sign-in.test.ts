import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { readSignIn } from './sign-in.ts';

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
      expect(read('amazon-bedrock', aws, baseUrl)).toEqual({ issue: expect.stringContaining('region') });
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

  test.each<[string, string, Record<string, unknown>]>([
    ['nothing', 'openai', {}],
    ['a key that is no text', 'openai', { api_key: 5 }],
    ['a key with a line break', 'openai', { api_key: 'a\nb' }],
    ['half of the keys of AWS', 'amazon-bedrock', { access_key_id: 'AKID' }],
    ['two ways at once', 'amazon-bedrock', { ...aws, api_key: 'k' }],
    ['a misspelt entry', 'amazon-bedrock', { ...aws, region: 'eu-west-1', sesion_token: 't' }],
    ['an odd region', 'amazon-bedrock', { ...aws, region: 'x/../y' }],
    ['a session token with blanks', 'amazon-bedrock', { ...aws, region: 'eu-west-1', session_token: 'a b' }],
    [
      'a user of Google in place of a service account',
      'google-vertex',
      { service_account_json: { ...keyFile, type: 'authorized_user' } },
    ],
    ['a file with another kind of key', 'google-vertex', { service_account_json: { ...keyFile, private_key: 'abc' } }],
    [
      'a file that is far too long',
      'google-vertex',
      { service_account_json: JSON.stringify({ ...keyFile, x: 'x'.repeat(20_000) }) },
    ],
    ['a file that is not JSON', 'google-vertex', { service_account_json: '{' }],
    ['a key and a token', 'azure', { api_key: 'k', access_token: 't' }],
  ])('refuses %s in words that quote no value', (_what, providerType, credentials) => {
    const result = read(providerType, credentials);
    expect(result).toEqual({ issue: expect.stringMatching(/^must /) });
    expect(JSON.stringify(result)).not.toMatch(/BEGIN|secret"/);
  });
});
