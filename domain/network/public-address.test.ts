import { describe, expect, test } from '@jest/globals';
import { isPublicAddress } from './public-address.ts';

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
