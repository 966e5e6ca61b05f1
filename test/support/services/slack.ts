import { json, type OutsideServer, type Reply } from '../outside-server.ts';
import { routed } from './requests-of.ts';

export const MESSAGE = { type: 'message', ts: '1700000000.000100', user: 'U1', text: 'Hello', team: 'T1' };

/** Answers as the Web API of Slack does, by its documentation. */
export function answerAsSlack({ url }: Pick<OutsideServer, 'url'>): Reply {
  const posted = json({ ok: true, channel: 'C1', ts: MESSAGE.ts, message: MESSAGE });
  const read =
    (value: unknown): Reply =>
    (response, request) => {
      const isLast = `${request.url}&${request.body}`.includes('cursor=');
      const content = { ok: true, ...(value as object), response_metadata: { next_cursor: isLast ? '' : 'bmV4dA==' } };
      json(content)(response, request);
    };
  const messages = read({ messages: [MESSAGE], has_more: true });
  const channels = read({ channels: [{ id: 'C1', name: 'general', is_member: true, creator: 'U1' }] });
  const users = read({ members: [{ id: 'U1', name: 'ada', real_name: 'Ada', color: 'aaaaaa' }] });
  const target = json({ ok: true, upload_url: `${url}/upload/v1/abc`, file_id: 'F1' });
  return routed({
    'POST /api/chat.postMessage': posted,
    'POST /api/chat.update': posted,
    'POST /api/chat.delete': posted,
    ...bothWays('conversations.history', messages),
    ...bothWays('conversations.replies', messages),
    ...bothWays('conversations.list', channels),
    ...bothWays('users.list', users),
    ...bothWays('files.getUploadURLExternal', target),
    'POST /api/reactions.add': json({ ok: true }),
    'POST /upload/v1/abc': (response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('OK - 5'),
    'POST /api/files.completeUploadExternal': json({ ok: true, files: [{ id: 'F1', title: 'a.txt', user: 'U1' }] }),
  });
}

// Methods that read take their arguments in the address as well as in a form.
function bothWays(method: string, reply: Reply): Readonly<Record<string, Reply>> {
  return { [`GET /api/${method}`]: reply, [`POST /api/${method}`]: reply };
}
