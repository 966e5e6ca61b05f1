import { describe, expect, test } from '@jest/globals';
import { hostAccessIn } from './host-access.ts';

const container = (securityContext: object) => ({ containers: [{ name: 'a', image: 'a', securityContext }] });
const volume = { volumes: [{ name: 'a', hostPath: { path: '/' } }] };
const deployment = (spec: object) => ({ apiVersion: 'apps/v1', kind: 'Deployment', spec: { template: { spec } } });
const pod = (spec: object) => ({ apiVersion: 'v1', kind: 'Pod', spec });

describe('a manifest that reaches its machine', () => {
  test.each([
    [pod(volume), 'spec.volumes.0.hostPath'],
    [pod({ hostNetwork: true }), 'spec.hostNetwork'],
    [pod({ hostPID: true }), 'spec.hostPID'],
    [pod({ hostIPC: 'true' }), 'spec.hostIPC'],
    [pod({ HostNetwork: true }), 'spec.HostNetwork'],
    [pod(container({ privileged: true })), 'spec.containers.0.securityContext.privileged'],
    [pod({ initContainers: container({ privileged: true }).containers }), /initContainers/],
    [pod({ ephemeralContainers: container({ privileged: true }).containers }), /ephemeralContainers/],
    [pod(container({ capabilities: { add: ['SYS_ADMIN'] } })), /capabilities\.add$/],
    [pod(container({ capabilities: { add: ['all'] } })), /capabilities\.add$/],
    [pod(container({ windowsOptions: { hostProcess: true } })), /hostProcess$/],
    [deployment(volume), /^spec\.template\.spec/],
    [
      { apiVersion: 'batch/v1', kind: 'CronJob', spec: { jobTemplate: { spec: { template: { spec: volume } } } } },
      /^spec\.jobTemplate/,
    ],
    [{ apiVersion: 'v1', kind: 'PersistentVolume', spec: { hostPath: { path: '/' } } }, 'spec.hostPath'],
    [{ apiVersion: 'v1', kind: 'PersistentVolume', spec: { local: { path: '/' } } }, 'spec.local'],
    [{ apiVersion: 'argoproj.io/v1', kind: 'Workflow', spec: { templates: [volume] } }, /hostPath$/],
    // One of another group may be anything.
    [{ apiVersion: 'evil.example/v1', kind: 'ConfigMap', data: volume }, /hostPath$/],
  ])('is found in %j', (manifest, at) => {
    expect(hostAccessIn(manifest)).toEqual(typeof at === 'string' ? at : expect.stringMatching(at));
  });
});

test.each([
  pod({ hostNetwork: false, ...container({ privileged: false, capabilities: { add: ['CAP_NET_BIND_SERVICE'] } }) }),
  deployment({ volumes: [{ name: 'a', emptyDir: {} }], nodeSelector: { privileged: 'yes' } }),
  { ...pod({}), metadata: { name: 'a', labels: { privileged: 'true' }, annotations: { hostPath: '/' } } },
  { apiVersion: 'v1', kind: 'ConfigMap', data: { hostPath: '/data' } },
])('%j reaches nothing of it', (manifest) => {
  expect(hostAccessIn(manifest)).toBeUndefined();
});
