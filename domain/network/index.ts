export {
  clientAddress,
  isLoopback,
  isPublicAddress,
  networkOf,
  parsePrivateHosts,
  parseTrustedProxies,
  type PrivateHosts,
  type TrustedProxies,
} from './addresses.ts';
export {
  baseUrlIssue,
  endpointUrlIssue,
  hostNameOf,
  type HostNames,
  hostOf,
  isKnownHost,
  MAIL_ADDRESS,
  type Origins,
  parseHostNames,
  parseOrigins,
  portOf,
} from './host-names.ts';
export { isConnectionHeader, isHeaderName, READING_METHODS, retryAfterMs } from './http-headers.ts';
export { parseMailAddress } from './mail-address.ts';
