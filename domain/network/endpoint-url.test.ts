import { describe, expect, test } from '@jest/globals';
import { baseUrlIssue, endpointUrlIssue } from './endpoint-url.ts';
import { parsePrivateHosts } from './private-hosts.ts';

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
