import { describe, expect, test } from '@jest/globals';
import { accessByKubeconfig, kubeconfigIssue } from './kubeconfig.ts';

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
