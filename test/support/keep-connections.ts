/**
 * Options of a server that stands for one outside: it does not close a connection that is idle. Otherwise a client that
 * a busy machine holds up for some seconds may send its next request on a connection that is being closed.
 */
export const KEEP_CONNECTIONS = { keepAliveTimeout: 60_000 } as const;
