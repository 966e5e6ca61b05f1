import { describe, expect, test } from '@jest/globals';
import { toItsEnd } from '../../test/support/to-its-end.ts';
import { networkOf } from './address.ts';
import { clientAddress } from './client-address.ts';
import { parseTrustedProxies } from './trusted-proxies.ts';

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

  test('is the last proxy that can be told when one of them says nonsense', () => {
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
