import type { Message } from '../../../console/chats/connection/merge-messages.ts';

/** A stored message for tests: the one at a place in its chat; each second one is an answer. */
export function messageAt(index: number, fields: Partial<Message> = {}): Message {
  const time = new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();
  return {
    id: `message ${index}`,
    chat_id: 'chat',
    turn_id: `turn ${Math.floor(index / 2)}`,
    client_message_id: null,
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `text ${index}`,
    file_ids: [],
    metadata_: {},
    provider_used: null,
    agent_id: null,
    agent_name: null,
    user_id: null,
    user_name: null,
    excluded: false,
    created_at: time,
    updated_at: time,
    ...fields,
  };
}
