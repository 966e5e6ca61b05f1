import { type KnownWrites, memberOf, TOKEN } from './known-write.ts';

/** Writes to services in which teams talk. */
export const CHAT_WRITES: readonly KnownWrites[] = [
  {
    kind: 'slack',
    credentials: { token: TOKEN },
    writes: [
      {
        tool: 'slack',
        arguments: { action: 'post', channel: 'C1', text: 'Hi' },
        effect: 'once',
        method: 'POST',
        path: '/chat.postMessage',
        answer: { ok: true, channel: 'C1', ts: '1.000001' },
      },
      {
        tool: 'slack',
        arguments: { action: 'update', channel: 'C1', ts: '1.000001', text: 'Hello' },
        effect: 'keyed',
        method: 'POST',
        path: '/chat.update',
        answer: { ok: true, channel: 'C1', ts: '1.000001' },
      },
    ],
  },
  {
    kind: 'discord',
    credentials: { bot_token: TOKEN },
    writes: [
      {
        tool: 'discord',
        arguments: { action: 'create_thread', channel_id: '1', name: 'Plans' },
        effect: 'once',
        method: 'POST',
        path: '/channels/1/threads',
        answer: { id: '2' },
      },
      {
        tool: 'discord',
        arguments: { action: 'post', channel_id: '1', content: 'Hi' },
        effect: 'keyed',
        method: 'POST',
        path: '/channels/1/messages',
        answer: { id: '3' },
        keyOf: (request) => memberOf(request, 'nonce'),
      },
    ],
  },
  {
    kind: 'telegram',
    credentials: { token: `1:${TOKEN}` },
    writes: [
      {
        tool: 'telegram',
        arguments: { action: 'send', chat_id: '5', text: 'Hi' },
        effect: 'once',
        method: 'POST',
        path: '/sendMessage',
        answer: { ok: true, result: { message_id: 1 } },
      },
      {
        tool: 'telegram',
        arguments: { action: 'edit', chat_id: '5', message_id: 1, text: 'Hello' },
        effect: 'keyed',
        method: 'POST',
        path: '/editMessageText',
        answer: { ok: true, result: { message_id: 1 } },
        again: { status: 400, answer: { ok: false, description: 'Bad Request: message is not modified' } },
      },
    ],
  },
  {
    kind: 'ms_teams',
    credentials: { access_token: TOKEN },
    writes: [
      {
        tool: 'ms_teams',
        arguments: { action: 'post', team_id: 't', channel_id: 'c', text: 'Hi' },
        effect: 'once',
        method: 'POST',
        path: '/teams/t/channels/c/messages',
        answer: { id: '1' },
      },
    ],
  },
];
