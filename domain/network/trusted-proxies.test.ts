import { describe, expect, test } from '@jest/globals';
import { parseTrustedProxies } from './trusted-proxies.ts';

describe('parseTrustedProxies', () => {
  test('trusts the addresses and networks of the list, and no others', () => {
    const proxies = parseTrustedProxies(' 10.0.0.0/8, 192.0.2.7 ,2001:db8::/32, ::1');
    for (const address of ['10.0.0.1', '10.255.255.255', '::ffff:10.1.2.3', '192.0.2.7', '2001:db8::1', '::1'])
      expect([address, proxies.trusts(address)]).toEqual([address, true]);
    for (const address of ['11.0.0.1', '192.0.2.8', '2001:db9::1', '::2', '127.0.0.1', '', 'unknown', '10.1'])
      expect([address, proxies.trusts(address)]).toEqual([address, false]);
  });

  test('trusts nobody when the list is empty', () => {
    for (const list of ['', ' ', ','])
      expect(['127.0.0.1', '::1', ''].map((address) => parseTrustedProxies(list).trusts(address))).toEqual([
        false,
        false,
        false,
      ]);
  });

  test.each([
    'proxy.example.com',
    'loopback',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.1/16',
    '0x0a000001',
    '2001:db8::/129',
    '::ffff:10.0.0.0/104',
    '0.0.0.0/0',
    '::/0',
    '*',
  ])('refuses %j, and says so', (entry) => {
    expect(() => parseTrustedProxies(`127.0.0.1,${entry}`)).toThrow(`"${entry}"`);
  });
});
