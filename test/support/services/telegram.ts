import { json, type Reply } from '../outside-server.ts';
import { routed } from './requests-of.ts';

export const BOT_TOKEN = '123456:AAbot-token_of-the-tests-0123456789';

const chat = { id: 42, type: 'private', first_name: 'Ada' };
export const MESSAGE = { message_id: 7, date: 1_700_000_000, chat, text: 'Hello' };
const from = { id: 42, is_bot: false, first_name: 'Ada', username: 'ada', language_code: 'en' };

/** Answers as the Bot API of Telegram does, by its documentation. */
export function answerAsTelegram(): Reply {
  const bot = `POST /bot${BOT_TOKEN}`;
  const sent = json({ ok: true, result: MESSAGE });
  const update = { update_id: 900, message: { ...MESSAGE, from, entities: [] } };
  return routed({
    [`${bot}/sendMessage`]: sent,
    [`${bot}/sendDocument`]: sent,
    [`${bot}/editMessageText`]: sent,
    [`${bot}/deleteMessage`]: json({ ok: true, result: true }),
    [`${bot}/getUpdates`]: json({ ok: true, result: [update] }),
  });
}

/** Answers as the Bot API does when it refuses. */
export function refusedByTelegram(status: number, description: string, more: object = {}): Reply {
  return json({ ok: false, error_code: status, description, ...more }, status);
}
