export type { GitRemote, Refusal } from './git-gateway.ts';
export { GIT_KINDS, type OpenedRemote, type OpenRemote, openRemotes, RemoteError } from './open-remote.ts';
