export { type CodeHost, CodeHostError, type HostAnswer, type HostErrorKind, readJson } from './code-host.ts';
export { type CodeHostDeps, withCodeHost } from './with-code-host.ts';
