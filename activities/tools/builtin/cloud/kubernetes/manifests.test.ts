import { describe, expect, test } from '@jest/globals';
import { hostAccessIn } from './manifests.ts';

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
    [pod({ containers: [{ name: 'a', ports: [{ containerPort: 80, hostPort: 80 }] }] }), /ports\.0\.hostPort$/],
    [pod({ containers: [{ name: 'a', livenessProbe: { httpGet: { host: '10.0.0.1', port: 1 } } }] }), /httpGet\.host$/],
    [pod(container({ procMount: 'Unmasked' })), /procMount$/],
    [pod({ securityContext: { seccompProfile: { type: 'Unconfined' } } }), 'spec.securityContext.seccompProfile'],
    [pod(container({ seccompProfile: { Type: 'unconfined' } })), /seccompProfile$/],
    [pod(container({ seccompProfile: { type: 'Unconfined', Type: 'RuntimeDefault' } })), /seccompProfile$/],
    [pod(container({ appArmorProfile: { type: 'Unconfined' } })), /appArmorProfile$/],
    [deployment({ securityContext: { seLinuxOptions: { user: 'system_u' } } }), /seLinuxOptions$/],
    [pod(container({ seLinuxOptions: { role: 'system_r' } })), /seLinuxOptions$/],
    [pod(container({ seLinuxOptions: { type: 'spc_t' } })), /seLinuxOptions$/],
    [pod({ securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }), /sysctls$/],
    [pod({ securityContext: { sysctls: [{ value: '1' }] } }), /sysctls$/],
    [
      { ...pod({}), metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/a': 'unconfined' } } },
      'metadata.annotations.container.apparmor.security.beta.kubernetes.io/a',
    ],
    [
      { ...pod({}), metadata: { annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' } } },
      /^metadata\.annotations\.seccomp/,
    ],
    [
      { apiVersion: 'v1', kind: 'PersistentVolume', spec: { csi: { driver: 'hostpath.csi.k8s.io' } } },
      'spec.csi.driver',
    ],
    [pod({ volumes: [{ name: 'a', csi: { driver: 'my-HostPath.example' } }] }), /csi\.driver$/],
    // What is called so holds more than texts.
    [{ apiVersion: 'a.example/v1', kind: 'Stack', labels: { pod: volume } }, /^labels\.pod/],
    [{ apiVersion: 'a.example/v1', kind: 'Stack', spec: { annotations: [volume] } }, /^spec\.annotations\.0/],
    [{ apiVersion: 'a.example/v1', kind: 'Stack', spec: { nodeSelector: { privileged: true } } }, /privileged$/],
    [{ apiVersion: 'a.example/v1', kind: 'Stack', spec: { matchLabels: { a: 'b', hostPID: 1 } } }, /hostPID$/],
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
  pod(
    container({
      procMount: 'Default',
      seccompProfile: { type: 'RuntimeDefault' },
      appArmorProfile: { type: 'Localhost' },
    }),
  ),
  pod({
    containers: [{ name: 'a', ports: [{ containerPort: 80, hostPort: 0 }], readinessProbe: { httpGet: { port: 80 } } }],
  }),
  pod({
    securityContext: {
      seLinuxOptions: { level: 's0:c1,c2', type: 'container_t', user: '' },
      sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }],
    },
  }),
  { ...pod({}), metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/a': 'runtime/default' } } },
  { apiVersion: 'v1', kind: 'PersistentVolume', spec: { csi: { driver: 'ebs.csi.aws.com' } } },
  { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', spec: { rules: [{ host: 'shop.example.com' }] } },
  { apiVersion: 'v1', kind: 'ConfigMap', data: { hostPath: '/data' } },
])('%j reaches nothing of it', (manifest) => {
  expect(hostAccessIn(manifest)).toBeUndefined();
});
