export type { GitRemote, Refusal } from './git-gateway.ts';
export { type OpenedRemote, type OpenRemote, openRemotes, RemoteError } from './open-remote.ts';
