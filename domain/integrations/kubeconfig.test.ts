import { describe, expect, jest, test } from '@jest/globals';
import { parse } from 'yaml';
import { cpuTimeOf } from '../../test/support/cpu-time.ts';
import { accessByKubeconfig, kubeconfigIssue, readKubeconfig } from './kubeconfig.ts';

const file = (changes: { cluster?: object; user?: object; more?: object } = {}) => ({
  'current-context': 'b',
  clusters: [{ name: 'c', cluster: { server: 'https://c.example.com:6443/', ...changes.cluster } }],
  users: [{ name: 'u', user: { token: 'a-token', ...changes.user } }],
  contexts: [
    { name: 'a', context: { cluster: 'c', user: 'nobody' } },
    { name: 'b', context: { cluster: 'c', user: 'u', namespace: 'shop' } },
  ],
  ...changes.more,
});

describe('a kubeconfig', () => {
  test('says how a cluster is reached by its current context', () => {
    const certificates = {
      cluster: { 'certificate-authority-data': btoa('an authority') },
      user: { 'client-certificate-data': btoa('a certificate'), 'client-key-data': btoa('a key') },
    };
    expect(accessByKubeconfig(file(certificates), undefined)).toEqual({
      access: {
        server: 'https://c.example.com:6443',
        namespace: 'shop',
        token: 'a-token',
        ca: 'an authority',
        cert: 'a certificate',
        key: 'a key',
      },
    });
  });

  test.each([
    ['none', {}, 'The kubeconfig has no context none; it has a, b'],
    ['a', {}, 'The context of the kubeconfig names a cluster or a user that is not in it'],
    [undefined, { 'current-context': '' }, 'The kubeconfig has no context that is the current one; it has a, b'],
    [undefined, { contexts: [] }, 'The kubeconfig has no context'],
  ])('says nothing by the context %s with %j', (wanted, more, issue) => {
    expect(accessByKubeconfig(file({ more }), wanted)).toEqual({ issue });
  });

  test.each([
    [{ user: { exec: { command: 'sh' } } }, 'names exec'],
    [{ user: { 'auth-provider': { name: 'gcp' } } }, 'names auth-provider'],
    [{ user: { tokenFile: '/var/run/token' } }, 'names tokenFile'],
    [{ user: { 'client-certificate': '/etc/passwd' } }, 'names client-certificate;'],
    [{ user: { 'client-key': '/etc/shadow' } }, 'names client-key;'],
    [{ user: { username: 'a', password: 'b' } }, 'names username'],
    [{ user: { as: 'system:admin' } }, 'names as;'],
    [{ cluster: { 'certificate-authority': '/etc/ca' } }, 'names certificate-authority;'],
    [{ cluster: { 'proxy-url': 'http://127.0.0.1' } }, 'names proxy-url'],
    [{ cluster: { 'insecure-skip-tls-verify': true } }, 'has insecure-skip-tls-verify'],
    [
      { user: { token: 'a\r\nHost: b' } },
      'is not a kubeconfig with clusters, users and contexts (at "users.0.user.token")',
    ],
    [{ more: { clusters: 'x' } }, 'is not a kubeconfig'],
  ])('with %j is refused', (changes, issue) => {
    expect(kubeconfigIssue(file(changes))).toContain(issue);
  });

  test.each([null, 'text', [], {}])('is not %j', (value) => {
    expect(kubeconfigIssue(value)).toContain('is not a kubeconfig');
  });
});

const LENGTH = 32_768;
const keys = (count: number, more: string) => Array.from({ length: count }, (_, index) => `k${index}${more}`).join('');

describe('the text of a kubeconfig', () => {
  test('is YAML as kubectl writes it, quoted or not, of many clusters', () => {
    const clusters = Array.from(
      { length: 40 },
      (_, index) => `- cluster:\n    server: "https://${index}.example.com"\n  name: c${index}\n`,
    );
    const text = `apiVersion: v1\n# Ours\nclusters:\n${clusters.join('')}preferences: {}\ncurrent-context: ""\n`;
    expect(readKubeconfig(text, parse)).toMatchObject({
      clusters: expect.arrayContaining([{ cluster: { server: 'https://39.example.com' }, name: 'c39' }]),
      preferences: {},
    });
  });

  test('is JSON, however many brackets it has', () => {
    const file = { clusters: Array.from({ length: 300 }, (_, index) => ({ name: `c${index}` })) };
    expect(readKubeconfig(JSON.stringify(file), parse)).toEqual(file);
  });

  test.each([
    '[',
    '{a: ',
    '- ',
    '? ',
    'a: ',
    'a:\n',
    '[]\n',
    '"',
    "'' ",
    '&a ',
    '*a ',
    '!a ',
    '|\n',
    'a:\tb\n',
    ' "\n',
  ])('is refused before it is parsed when it is %j again and again', (chunk) => {
    const parseIt = jest.fn<Parameters<typeof readKubeconfig>[1]>(parse);
    expect(readKubeconfig(`a:\n ${chunk.repeat(LENGTH / chunk.length)}`, parseIt)).toBeUndefined();
    expect(parseIt).not.toHaveBeenCalled();
  });

  test('is parsed in no time where it is as odd as it may be', () => {
    const text = `${keys(440, ': 1\n')}${'*a >\n:  "a"'.repeat(49)}`;
    expect(cpuTimeOf(() => expect(readKubeconfig(text, parse)).toBeUndefined())).toBeLessThan(2_000);
  });
});
