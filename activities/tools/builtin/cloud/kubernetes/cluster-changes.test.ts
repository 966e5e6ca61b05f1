import { expect, test } from '@jest/globals';
import { applyLabel } from './cluster-changes.ts';
import { kubernetes } from './kubernetes.ts';

const POD = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec:
  serviceAccountName: admin
  imagePullSecrets: [{name: pull}]
  containers:
    - name: web
      env: [{name: A, valueFrom: {secretKeyRef: {name: db, key: password}}}]
      envFrom: [{secretRef: {name: all}}, {configMapRef: {name: settings}}]
  volumes:
    - secret: {secretName: files}
    - projected: {sources: [{secret: {name: projected}}]}
`;

test('a call that applies is called by its objects, and by the rights and Secrets that it gives to pods', () => {
  const manifest = `${POD}---\n{"kind":"List","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a\\nb"}}]}`;
  expect(kubernetes.prepare({ action: 'apply', manifest, namespace: 'shop' })).toMatchObject({
    label:
      'Kubernetes: apply Pod web in shop, ConfigMap a b; with the rights of the service account admin; given the Secrets pull, db, all, files, projected; in shop',
  });
  expect(kubernetes.prepare({ action: 'delete', kind: 'pods', name: 'a' })).toMatchObject({
    label: 'Kubernetes: delete',
  });
});

test('of many objects the first ones are named, and how many there are', () => {
  const manifest = Array.from({ length: 30 }, (_, index) => POD.replace('web', `web-${index}`)).join('---\n');
  expect(applyLabel(manifest)).toMatch(/^apply Pod web-0 in shop, .{170,190} \.\.\. \(30 in all\); with/);
});

test.each([
  ['an anchor', `${POD}x: &x [1]\ny: *x`],
  ['broken YAML', 'a: ['],
  ['very much', `${POD}# ${'x'.repeat(20_000)}`],
  ['too many marks', `${POD}x: [${'a,'.repeat(4_000)}]`],
  ['many broken entries', '&a '.repeat(6_000)],
  ['too many documents', 'a: 1\n---\n'.repeat(31)],
  ['too many levels', `${'['.repeat(60)}${']'.repeat(60)}`],
])('a manifest with %s is to be read by the person', (_what, manifest) => {
  expect(applyLabel(manifest)).toBe('apply a manifest that cannot be summed up; read all of it');
});
