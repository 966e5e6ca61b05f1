export { GIT_KINDS } from './git-kinds.ts';
export { readRemoteAddress, type RemoteAddress } from './remote-address.ts';
