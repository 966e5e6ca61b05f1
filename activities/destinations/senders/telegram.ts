import { callTelegram, sendDocument } from '../../tools/builtin/communication/telegram.ts';
import { ToolFailure } from '../../tools/tool-failure.ts';
import { TELEGRAM_HTML } from '../dialects.ts';
import { messageOf, notTaken, type Sender } from './sender.ts';

// Telegram counts 4,096 characters after it has read the tags.
const FORM = { dialect: TELEGRAM_HTML, characters: 3_600, bytes: 30_000 };

/** Sends a report to a chat of Telegram, and its files after it. */
export const sendToTelegram: Sender = async (service, report, context) => {
  const { chat = '' } = context.config;
  const text = await messageOf(report, FORM, context);
  const json = { chat_id: chat, text, parse_mode: 'HTML', link_preview_options: { is_disabled: true } };
  await callTelegram(service, { method: 'sendMessage', json, effect: 'once' });
  try {
    for (const file of report.files)
      await sendDocument(service, { chat_id: chat, caption: undefined, parse_mode: undefined }, file);
    return null;
  } catch (error) {
    // A retry would send the message twice.
    if (error instanceof ToolFailure) return notTaken(error);
    throw error;
  }
};
