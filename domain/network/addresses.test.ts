import { describe, expect, test } from '@jest/globals';
import { toItsEnd } from '../../test/support/to-its-end.ts';
import { clientAddress, isPublicAddress, networkOf, parseTrustedProxies } from './addresses.ts';

describe('isPublicAddress', () => {
  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.18.0.1',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::7f00:1',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '2001:db8::1',
    '2002:7f00:1::',
    '168.63.129.16',
    '::ffff:168.63.129.16',
    '64:ff9b::a83f:8110',
    '100.100.100.200',
    '192.0.0.192',
    'fd20:ce::254',
    'fec0::1',
    '200::1',
    '4000::1',
    'e000::1',
    '',
    'localhost',
  ])('is false for %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(['1.1.1.1', '93.184.216.34', '::ffff:1.1.1.1', '2606:4700:4700::1111', '2a00:1450::1', '168.63.129.17'])(
    'is true for %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );
});

const proxies = parseTrustedProxies('10.0.0.0/8, fd00::/8');
const of = (peer: string, forwardedFor?: string) => clientAddress({ peer, forwardedFor }, proxies);

describe('clientAddress', () => {
  test.each([
    ['203.0.113.9', '198.51.100.1'],
    ['::ffff:203.0.113.9', '198.51.100.1'],
    ['203.0.113.9', '10.0.0.1'],
  ])('is the peer %s when that is no trusted proxy, whatever it says (%s)', (peer, forwardedFor) => {
    expect(of(peer, forwardedFor)).toBe('203.0.113.9');
  });

  test.each([
    ['198.51.100.1', '198.51.100.1'],
    ['1.2.3.4, 198.51.100.1', '198.51.100.1'],
    ['1.2.3.4, 198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['1.2.3.4,198.51.100.1,10.0.0.2,10.0.0.3', '198.51.100.1'],
    ['10.0.0.9, 10.0.0.8', '10.0.0.9'],
    ['198.51.100.1:4711', '198.51.100.1'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:DB8:0::1', '2001:db8::1'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['198.51.100.1, fd00::7', '198.51.100.1'],
  ])('is, of "%s", the last that no trusted proxy has: %s', (forwardedFor, address) => {
    expect(of('10.0.0.1', forwardedFor)).toBe(address);
  });

  test.each([
    '',
    ' ',
    ',',
    'unknown',
    '_hidden',
    '1.2.3',
    '1.2.3.4.5',
    '0x7f000001',
    '1.2.3.4:port',
    '1.2.3.4, ',
    '1.2.3.4, unknown',
    '1.2.3.4, <script>',
    '1.2.3.4; 5.6.7.8',
    '[::1',
    '"1.2.3.4"',
    'for=1.2.3.4',
  ])('is the proxy when what it says is no address: %j', (forwardedFor) => {
    expect(of('10.0.0.1', forwardedFor)).toBe('10.0.0.1');
  });

  test('is the last identifiable proxy when one of them says nonsense', () => {
    expect(of('10.0.0.1', '1.2.3.4, nonsense, 10.0.0.7')).toBe('10.0.0.7');
  });

  test('is found in megabytes of proxies and of commas', async () => {
    await toItsEnd(() => {
      expect(of('10.0.0.1', '10.0.0.1,'.repeat(300_000) + '10.0.0.1')).toBe('10.0.0.1');
      expect(of('10.0.0.1', ','.repeat(4_000_000))).toBe('10.0.0.1');
    });
  });
});

describe('networkOf', () => {
  test.each([
    ['198.51.100.1', '198.51.100.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['', ''],
  ])('of %j is %j', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

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
