import type { IncomingMessage } from 'node:http';

/** The subprotocol whose frames say what they are about. Another version would have another name. */
export const SUBPROTOCOL = 'everturn.v1';

/** What a client's offer of a token begins with: browsers can set no header of a handshake but this one. */
const BEARER = 'bearer.';

/** The subprotocols that a handshake offers, in the order of preference. */
export function offeredSubprotocols({ headers }: Pick<IncomingMessage, 'headers'>): readonly string[] {
  const offered = headers['sec-websocket-protocol'] ?? '';
  return offered
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/**
 * Returns the tokens among offered subprotocols, in place of one in the address, which proxies write into their logs.
 * They count only beside a subprotocol that can be chosen: a token must not be the one that is answered.
 */
export function offeredTokens(offered: readonly string[]): readonly string[] {
  if (!offered.includes(SUBPROTOCOL)) return [];
  return offered.filter((name) => name.startsWith(BEARER)).map((name) => name.slice(BEARER.length));
}

/**
 * Returns the subprotocol that is answered: ours, otherwise the first one of the client, which has the frames of the
 * specification then. Never a token.
 */
export function chosenSubprotocol(offered: readonly string[]): string | undefined {
  return offered.includes(SUBPROTOCOL) ? SUBPROTOCOL : offered.find((name) => !name.startsWith(BEARER));
}
