import { json, type OutsideServer, type Reply } from '../outside-server.ts';
import { routed } from './requests-of.ts';

export const TEAM = '57fb72d0-d811-46f4-8947-305e6072eaa5';
export const CHANNEL = '19:4b6bed8d24574f6a9e436813cb2617d8@thread.tacv2';

export const MESSAGE = {
  id: '1590776551682',
  createdDateTime: '2026-01-01T00:00:00.000Z',
  messageType: 'message',
  etag: '1590776551682',
  from: { user: { id: 'u1', displayName: 'Ada', userIdentityType: 'aadUser' } },
  body: { contentType: 'text', content: 'Hello' },
  webUrl: 'https://teams.microsoft.com/l/message/x',
};

/** Answers as Microsoft Graph (v1.0) does, by its documentation. */
export function answerAsGraph({ url }: Pick<OutsideServer, 'url'>): Reply {
  const channel = `/v1.0/teams/${TEAM}/channels/${encodeURIComponent(CHANNEL)}`;
  const list = (value: readonly unknown[]) => ({ '@odata.context': `${url}/v1.0/$metadata`, value });
  const teams: Reply = (response, request) => {
    const isFirst = !request.url.includes('skiptoken');
    const link = isFirst && { '@odata.nextLink': `${url}/v1.0/teams?%24top=25&%24skiptoken=abc` };
    json({ ...list([{ id: TEAM, displayName: 'Acme', tenantId: 't1' }]), ...link })(response, request);
  };
  return routed({
    'GET /v1.0/teams': teams,
    [`GET /v1.0/teams/${TEAM}/channels`]: json(list([{ id: CHANNEL, displayName: 'General', email: '' }])),
    [`GET ${channel}/messages`]: json(list([MESSAGE])),
    [`POST ${channel}/messages`]: json(MESSAGE, 201),
    [`GET ${channel}/messages/${MESSAGE.id}/replies`]: json(list([MESSAGE])),
    [`POST ${channel}/messages/${MESSAGE.id}/replies`]: json(MESSAGE, 201),
    'GET /v1.0/chats/19%3Ax%40thread.v2/messages': json(list([MESSAGE])),
    'POST /v1.0/chats/19%3Ax%40thread.v2/messages': json(MESSAGE, 201),
    'POST /workflows/abc/triggers/manual/paths/invoke': (response) => void response.writeHead(202).end(),
  });
}
