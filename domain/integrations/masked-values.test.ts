import { expect, test } from '@jest/globals';
import { maskedValues } from './masked-values.ts';

const LINES = ['MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg', 'abcdefghijklmnop+/==', 'Zz=='];
const PEM = `-----BEGIN PRIVATE KEY-----\r\n${LINES.join('\r\n')}\r\n-----END PRIVATE KEY-----\n`;
const IN_PEM = [LINES.join('\n'), LINES[0], LINES[1]];
const noYaml = () => undefined;

test('of an address what nobody guesses is masked, and not the name of its server', () => {
  const fields = [{ name: 'webhook_url', description: 'A webhook', format: 'address' as const }];
  const address = 'https://hooks.example.com/api/webhooks/1234/abcdefghijklmnopqrst?v=1.0&sig=a%2Bbcdefghijklmnopq';
  expect(maskedValues({ fields }, { webhook_url: address }, noYaml)).toEqual([
    'abcdefghijklmnopqrst',
    'a+bcdefghijklmnopq',
  ]);
});

test('what goes along with secrets and is none is not masked', () => {
  const fields = [
    { name: 'email', description: 'A mail address', isPlain: true as const },
    { name: 'api_token', description: 'A token' },
  ];
  expect(maskedValues({ fields }, { email: 'a@b.example', api_token: 'pass' }, noYaml)).toEqual(['pass']);
  expect(maskedValues({ fields: null }, { own: 'pass' }, noYaml)).toEqual(['pass']);
});

test('of a key in PEM its lines are masked, and not those around them, which others have too', () => {
  const fields = [{ name: 'client_key', description: 'A key', format: 'document' as const }];
  expect(maskedValues({ fields }, { client_key: PEM }, noYaml)).toEqual(IN_PEM);
  expect(maskedValues({ fields }, { client_key: 'no PEM at all' }, noYaml)).toEqual(['no PEM at all']);
  const empty = '-----BEGIN PRIVATE KEY-----\nZz==\n-----END PRIVATE KEY-----';
  expect(maskedValues({ fields }, { client_key: empty }, noYaml)).toEqual([empty]);
});

test('of a kubeconfig the secrets of all users are masked, and nothing else', () => {
  const fields = [{ name: 'kubeconfig', description: 'A kubeconfig', format: 'kubeconfig' as const }];
  const users = [
    { name: 'a', user: { token: 'the-token-of-a', 'client-certificate-data': 'a-certificate' } },
    { name: 'b', user: { 'client-key-data': btoa(PEM), username: 'bob', password: 'the-password-of-b' } },
    { name: 'c', user: { 'client-key-data': 'no Base64' } },
    { name: 'd' },
  ];
  const masked = (file: unknown) => maskedValues({ fields }, { kubeconfig: 'apiVersion: v1' }, () => file);
  expect(masked({ apiVersion: 'v1', kind: 'Config', clusters: [{ name: 'x' }], users })).toEqual([
    'the-token-of-a',
    ...IN_PEM,
    'the-password-of-b',
    'no Base64',
  ]);
  expect(masked(undefined)).toEqual(['apiVersion: v1']);
});
