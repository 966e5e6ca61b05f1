export { readRemoteAddress, type RemoteAddress } from './remote-address.ts';
