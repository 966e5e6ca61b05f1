export { type CodeHost, type HostAnswer, readJson } from './code-host.ts';
export { CodeHostError, type HostErrorKind } from './host-error.ts';
export { type CodeHostDeps, withCodeHost } from './with-code-host.ts';
