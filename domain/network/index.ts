export { endpointUrlFault, hostOf, portOf } from './endpoint-url.ts';
export { parsePrivateHosts, type PrivateHosts } from './private-hosts.ts';
export { isPublicAddress } from './public-address.ts';
