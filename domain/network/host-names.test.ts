import { describe, expect, test } from '@jest/globals';
import { hostNameOf, isKnownHost, parseHostNames } from './host-names.ts';

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
