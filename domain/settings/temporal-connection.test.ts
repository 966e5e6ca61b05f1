import { describe, expect, test } from '@jest/globals';
import { temporalConnection } from './temporal-connection.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const readFile = (path: string) => {
  if (path === 'missing.pem') throw new Error('ENOENT');
  return bytes(path);
};

describe('temporalConnection', () => {
  test('is not encrypted when nothing is said', () => {
    expect(temporalConnection({}, readFile)).toEqual({});
  });

  test.each([
    ['TEMPORAL_TLS', { TEMPORAL_TLS: 'true' }, { tls: {} }],
    ['an API key', { TEMPORAL_API_KEY: 'key' }, { apiKey: 'key', tls: {} }],
    ['a server name', { TEMPORAL_TLS_SERVER_NAME: 'temporal' }, { tls: { serverNameOverride: 'temporal' } }],
    [
      'certificates',
      {
        TEMPORAL_TLS_SERVER_CA_CERT_PATH: 'ca.pem',
        TEMPORAL_TLS_CLIENT_CERT_PATH: 'client.pem',
        TEMPORAL_TLS_CLIENT_KEY_PATH: 'client.key',
      },
      {
        tls: {
          serverRootCACertificate: bytes('ca.pem'),
          clientCertPair: { crt: bytes('client.pem'), key: bytes('client.key') },
        },
      },
    ],
  ] as const)('is encrypted with %s', (_, settings, expected) => {
    expect(temporalConnection(settings, readFile)).toEqual(expected);
  });

  test('is not encrypted when TEMPORAL_TLS says so', () => {
    expect(temporalConnection({ TEMPORAL_TLS: 'false', TEMPORAL_API_KEY: 'key' }, readFile)).toEqual({
      apiKey: 'key',
      tls: false,
    });
  });

  test.each([
    ['TEMPORAL_TLS_CLIENT_KEY_PATH', { TEMPORAL_TLS_CLIENT_CERT_PATH: 'client.pem' }],
    ['TEMPORAL_TLS_CLIENT_CERT_PATH', { TEMPORAL_TLS_CLIENT_KEY_PATH: 'client.key' }],
    [
      'TEMPORAL_TLS_SERVER_CA_CERT_PATH: missing.pem cannot be read',
      { TEMPORAL_TLS_SERVER_CA_CERT_PATH: 'missing.pem' },
    ],
  ])('names what is missing: %s', (words, settings) => {
    expect(() => temporalConnection(settings, readFile)).toThrow(words);
  });
});
