export { isLoopback, networkOf } from './address.ts';
export { clientAddress } from './client-address.ts';
export { baseUrlIssue, endpointUrlIssue, hostOf, portOf } from './endpoint-url.ts';
export { hostNameOf, type HostNames, isKnownHost, parseHostNames } from './host-names.ts';
export { type Origins, parseOrigins } from './origins.ts';
export { parsePrivateHosts, type PrivateHosts } from './private-hosts.ts';
export { isPublicAddress } from './public-address.ts';
export { parseTrustedProxies, type TrustedProxies } from './trusted-proxies.ts';
export { retryAfterMs } from './retry-after.ts';
