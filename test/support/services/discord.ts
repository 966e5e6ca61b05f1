import { json, type Reply } from '../outside-server.ts';
import { routed } from './requests-of.ts';

export const MESSAGE = {
  id: '1100',
  channel_id: '20',
  timestamp: '2026-01-01T00:00:00.000000+00:00',
  author: { id: '1', username: 'ada', avatar: null },
  content: 'Hello',
  embeds: [],
  pinned: false,
};

/** Answers as the API of Discord (v10) does, by its documentation. */
export function answerAsDiscord(): Reply {
  const channel = '/api/v10/channels/20';
  return routed({
    'GET /api/v10/users/@me/guilds': json([{ id: '10', name: 'Acme', icon: null }]),
    'GET /api/v10/guilds/10/channels': json([{ id: '20', name: 'general', type: 0, permission_overwrites: [] }]),
    [`GET ${channel}/messages`]: json([MESSAGE, { ...MESSAGE, id: '1099' }]),
    [`POST ${channel}/messages`]: json(MESSAGE),
    [`POST ${channel}/threads`]: json({ id: '30', name: 'Plan', parent_id: '20', type: 11 }, 201),
    [`POST ${channel}/messages/1100/threads`]: json({ id: '1100', name: 'Plan', parent_id: '20', type: 11 }, 201),
    [`PUT ${channel}/messages/1100/reactions/%F0%9F%91%80/@me`]: (response) => void response.writeHead(204).end(),
    'POST /api/webhooks/77/a-token-of-a-webhook-of-the-tests': json(MESSAGE),
  });
}
