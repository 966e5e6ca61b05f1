/** Close codes: RFC 6455 section 7.4.1 and its registry, and our own 4401 and 4404 for what HTTP calls 401 and 404. */
export const CLOSE = {
  unsupportedData: 1003,
  policyViolation: 1008,
  internalError: 1011,
  restarting: 1012,
  tryAgainLater: 1013,
  unauthenticated: 4401,
  gone: 4404,
} as const;

/** A code that the server closes connections with. */
export type CloseCode = (typeof CLOSE)[keyof typeof CLOSE];
