import { describe, expect, test } from '@jest/globals';
import { parsePrivateHosts } from './addresses.ts';
import {
  baseUrlIssue,
  endpointUrlIssue,
  hostNameOf,
  isKnownHost,
  MAIL_ADDRESS,
  parseHostNames,
  parseOrigins,
} from './host-names.ts';

const known = parseHostNames('agents.example.com, API_1 ,');
const answer = (host: string) => {
  const name = hostNameOf(host);
  return name === undefined ? 'malformed' : isKnownHost(name, known);
};

describe('a host', () => {
  test.each([
    'agents.example.com',
    'AGENTS.example.com:8443',
    'agents.example.com.',
    'api_1:3000',
    'localhost',
    'localhost:3000',
    'LOCALHOST.',
    'everturn.localhost',
    '127.0.0.1',
    '127.8.9.1:3000',
    '127.0.0.1.',
    '[::1]:3000',
    '192.168.1.5:3000',
    '[2001:db8::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0:3000',
  ])('is known: %s', (host) => {
    expect(answer(host)).toBe(true);
  });

  test.each([
    'attacker.example',
    'sub.agents.example.com',
    'agents.example.com.attacker.example',
    'xagents.example.com',
    'localhost.attacker.example',
    'notlocalhost',
    '127.0.0.1.attacker.example',
    '127.1',
    '2130706433',
    '0x7f.1',
    'xn--80ak6aa92e.com',
  ])('is not known: %s', (host) => {
    expect(answer(host)).toBe(false);
  });

  test.each([
    '',
    ' ',
    '.',
    '..',
    'a..b',
    '.localhost',
    'localhost..',
    'a b',
    'a/b',
    'localhost/x',
    'attacker.example#localhost',
    'attacker.example?localhost',
    'user@localhost',
    'localhost:80:80',
    'localhost:port',
    'localhost,attacker.example',
    '[::1',
    '::1',
    '[attacker.example]',
    '[127.0.0.1]',
    'lоcalhost',
    `${'a'.repeat(64)}.example`,
    'a.'.repeat(127) + 'example',
  ])('is none: %j', (host) => {
    expect(answer(host)).toBe('malformed');
  });
});

describe('parseHostNames', () => {
  test.each(['https://agents.example.com', 'agents.example.com:8443', '*', '*.example.com', '.example.com', 'a b'])(
    'refuses %j, and says so',
    (entry) => {
      expect(() => parseHostNames(`localhost,${entry}`)).toThrow(`"${entry}"`);
    },
  );
});

const none = parsePrivateHosts('');

describe('endpointUrlIssue', () => {
  test.each(['https://api.example.com/v1', 'http://93.184.216.34', 'https://api.example.com:8443/v1?x=1'])(
    'finds none in %s',
    (url) => {
      expect(endpointUrlIssue(url, none)).toBeUndefined();
    },
  );

  test.each([
    ['http://127.0.0.1:9100/v1', 'private address'],
    ['http://localhost/v1', 'private address'],
    ['http://api.localhost/v1', 'private address'],
    ['http://localhost./v1', 'private address'],
    ['http://[::1]/v1', 'private address'],
    ['http://[::ffff:7f00:1]/v1', 'private address'],
    // The URL parser turns each of these into 127.0.0.1.
    ['http://2130706433/', 'private address'],
    ['http://0x7f.1/', 'private address'],
    ['http://0177.0.0.1/', 'private address'],
    ['http://127.1/', 'private address'],
    ['http://１２７.0.0.1/', 'private address'],
    ['file:///etc/passwd', 'must begin with'],
    ['ftp://example.com', 'must begin with'],
    ['https://user:secret@example.com', 'user name or password'],
    ['not a url', 'not a valid URL'],
  ])('finds one in %s', (url, fault) => {
    expect(endpointUrlIssue(url, none)).toContain(fault);
  });

  test('finds none in a private address that the operator allowed, and only there', () => {
    const allowed = parsePrivateHosts('127.0.0.1:9100, [::1]:*,LOCALHOST:80');
    expect(endpointUrlIssue('http://127.0.0.1:9100/v1', allowed)).toBeUndefined();
    expect(endpointUrlIssue('http://[::1]:4711/v1', allowed)).toBeUndefined();
    expect(endpointUrlIssue('http://localhost/v1', allowed)).toBeUndefined();
    expect(endpointUrlIssue('http://127.0.0.1:9101/v1', allowed)).toContain('can allow 127.0.0.1:9101');
  });
});

describe('parsePrivateHosts', () => {
  test.each(['127.0.0.1', 'host:port', 'http://a:1', ':80', 'a:b:1'])('refuses %s', (list) => {
    expect(() => parsePrivateHosts(list)).toThrow('host:port');
  });
});

describe('baseUrlIssue', () => {
  test.each([
    ['https://api.example.com/v1#x', 'fragment'],
    ['https://api.example.com/v1#', 'fragment'],
    ['https://api.example.com/\r\nX: y', 'control characters'],
    ['https://api.example.com/v1\t', 'control characters'],
    [' https://api.example.com/v1', 'blanks'],
    ['https://api.example.com/a b', 'blanks'],
    ['http://127.0.0.1/v1', 'private address'],
  ])('finds one in %j', (url, fault) => {
    expect(baseUrlIssue(url, none)).toContain(fault);
  });

  test('finds one in a host with escapes, which would become another host and port', () => {
    expect(baseUrlIssue('redis://127.0.0.1%3A11434%2F:6379/0', none, ['redis'])).toContain('escapes');
  });

  test('finds none in an address with a path and a query', () => {
    expect(baseUrlIssue('https://api.example.com/deployments/a%20b?api-version=1', none)).toBeUndefined();
  });
});

describe('a list of origins', () => {
  test('is read as browsers name them', () => {
    expect([...parseOrigins('https://a.example.com, http://localhost:5173/ ,')]).toEqual([
      'https://a.example.com',
      'http://localhost:5173',
    ]);
    expect(parseOrigins('').size).toBe(0);
  });

  test.each([
    '*',
    'null',
    'a.example.com',
    'https://a.example.com/app',
    'https://a.example.com:443',
    'ftp://a',
    'https://u@a',
  ])('is refused with %s in it', (entry) => expect(() => parseOrigins(entry)).toThrow(`"${entry}" is not an origin`));
});

test.each(['a@example.com', "ada.o'neil+news@mail.example.com", 'ö@bücher.example', 'a@[192.0.2.1]'])(
  '%s is an address',
  (text) => {
    expect(MAIL_ADDRESS.test(text)).toBe(true);
  },
);

test.each([
  '',
  'a',
  '@example.com',
  'a@',
  'a@b@c',
  'a@example.com, b@example.com',
  'Ada <a@example.com>',
  'a@example.com\r\nBcc: b@example.com',
  'a@example.com\n',
  'a b@example.com',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b'.repeat(256)}`,
])('%j is none', (text) => {
  expect(MAIL_ADDRESS.test(text)).toBe(false);
});
