import type { Socket } from '../openapi/index.ts';
import { CLOSE } from '../sockets/close-codes.ts';
import { SUBPROTOCOL } from '../sockets/subprotocol.ts';
import { eventClientFrameSchema, eventFrameSchema } from './event-frame.ts';

const frames = { client: eventClientFrameSchema, server: eventFrameSchema };

/** The socket of an organization's events in the API's description. */
export const orgEventsDescription: Socket = {
  path: '/ws/events',
  summary: 'Learn which records of an organization have changed',
  description:
    'Connect as to a chat: with `?token=` and an access token or an API key, with `Authorization: Bearer`, or with the subprotocols ' +
    '`everturn.v1` and `bearer.<token>`. The organization is the active one unless `?org_id=` or `X-Org-Id` names another. You are told of ' +
    'what you may see: records of which you hold the key to view, and chats that you may read. A frame says what has changed, not ' +
    'how: read it again. The first frame is `resync`, and so is one after news were lost. Who has read just before may answer the first ' +
    'one with `catch_up`, and is told what has changed since.',
  frames,
  subprotocols: { [SUBPROTOCOL]: frames },
  closeCodes: {
    [CLOSE.unsupportedData]: 'A frame was not text',
    [CLOSE.policyViolation]: 'Too many invalid frames, or an invalid handshake: fix the client',
    1009: 'A frame was larger than 1 MiB',
    [CLOSE.internalError]: 'An internal error: reconnect later',
    [CLOSE.restarting]: 'The server restarts: reconnect',
    [CLOSE.tryAgainLater]:
      'Too many connections or requests, a part of the service is down, or frames were read too slowly: reconnect later',
    [CLOSE.unauthenticated]:
      'The token is missing, invalid, expired or revoked; the reason says which: refresh it or sign in, then connect',
    [CLOSE.gone]: 'There is no such organization, or you are no member of it any more: stop',
  },
};
