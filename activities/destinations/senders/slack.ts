import { callSlack, shareInSlack } from '../../tools/builtin/communication/slack.ts';
import type { Service } from '../../tools/context.ts';
import { ToolFailure } from '../../tools/tool-failure.ts';
import { MRKDWN } from '../dialects.ts';
import { messageOf, type SendContext, type Sender, type ThreadAnswer } from './sender.ts';

const FORM = { dialect: MRKDWN, characters: 12_000, bytes: 39_000 };
const PLAIN = { unfurl_links: false, unfurl_media: false };

/** Posts a report to a channel of Slack; files go with it, in the same message. */
export const sendToSlack: Sender = async (service, report, context) => {
  const { channel = '' } = context.config;
  const text = await messageOf(report, FORM, context);
  const { files } = report;
  if (files.length > 0) await shareInSlack(service, { channel, text, thread_ts: undefined, files }, context);
  else await callSlack(service, { method: 'chat.postMessage', json: { channel, text, ...PLAIN }, effect: 'once' });
  return null;
};

/**
 * Posts an answer to a thread of Slack, in place of the message that was posted for it. To write that anew is harmless
 * to repeat; without it, or once somebody has deleted it, the answer is a message of its own.
 */
export async function answerInSlack(
  service: Service,
  { channel, thread, reply, body, link }: ThreadAnswer,
  context: Pick<SendContext, 'toBlocks'>,
): Promise<void> {
  const isCut = body.length > FORM.characters;
  const text = await messageOf({ subject: '', body, link: isCut ? link : null }, FORM, context);
  if (reply !== null) {
    try {
      await callSlack(service, { method: 'chat.update', json: { channel, ts: reply, text }, effect: 'keyed' });
      return;
    } catch (error) {
      if (!(error instanceof ToolFailure) || !GONE.test(error.message)) throw error;
    }
  }
  const json = { channel, text, ...PLAIN, ...(thread !== null && { thread_ts: thread }) };
  await callSlack(service, { method: 'chat.postMessage', json, effect: 'once' });
}

const GONE = /\b(?:message_not_found|cant_update_message|edit_window_closed)\b/;
