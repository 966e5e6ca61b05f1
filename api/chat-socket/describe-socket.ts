import type { Socket } from '../openapi/openapi.ts';
import { closeCodes } from '../sockets/frame-socket.ts';
import { SUBPROTOCOL } from '../sockets/read-upgrade.ts';
import { clientFrameSchema, serverFrameSchema } from './frames/frames.ts';
import { framesOfSubprotocol } from './frames/versioned-frame.ts';

/** The chat's socket in the API's description. */
export const chatSocketDescription: Socket = {
  path: '/ws/chat/{chat_id}',
  summary: 'Send messages to a chat and see its turns live',
  description:
    'Connect with `?token=` and an access token or an API key, or with `Authorization: Bearer`. ' +
    'With the subprotocol `everturn.v1`, frames say which turn they belong to, and the token may be a second subprotocol, ' +
    '`bearer.<token>`. The organization is that of the ' +
    'chat, regardless of the active one; if `?org_id=` or `X-Org-Id` names another, the chat is not found. Each frame is one JSON ' +
    'text. While a turn runs, the first frames contain what it has streamed so far.\n\n' +
    'A rejected handshake of a browser, which sends `Origin`, is completed and closed at once with a code and the reason: pages ' +
    'cannot see HTTP responses to handshakes. Other clients get the HTTP response, with the status and a `Problem`.',
  frames: { client: clientFrameSchema, server: serverFrameSchema },
  subprotocols: { [SUBPROTOCOL]: framesOfSubprotocol },
  closeCodes: closeCodes('The chat does not exist, was deleted, or is no longer visible to you: stop'),
};
