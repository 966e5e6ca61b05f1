import { callSlack, isMessageGone, NO_PREVIEWS, shareInSlack } from '../../tools/builtin/communication/slack.ts';
import type { Service } from '../../tools/context.ts';
import { ToolFailure } from '../../tools/tool-failure.ts';
import { SLACK_FORM } from './messages.ts';
import { type AnswerContext, messageOf, notTaken, type SendContext, type ThreadAnswer } from './sender.ts';

/**
 * Posts an answer to a thread of Slack, and the files that it links to, in one message, after it. Where Slack does not
 * take them, the answer names them, and the reason is returned.
 */
export async function answerInSlack(
  service: Service,
  answer: ThreadAnswer,
  context: AnswerContext,
): Promise<string | null> {
  const { channel, thread, reply, files } = answer;
  if (reply !== null || files.length === 0) await postText(service, answer, context);
  if (files.length === 0) return null;
  // An answer that is a message of its own is one message with its files: a retry must not post it twice.
  const text = reply === null ? await slackAnswerOf(answer, context) : undefined;
  try {
    await shareInSlack(service, { channel, text, thread_ts: thread ?? undefined, files }, context);
    return null;
  } catch (error) {
    if (!(error instanceof ToolFailure) || error.mayPass) throw error;
    const refused = files.map(({ name: path, content }) => ({ path, bytes: content.length, link: null }));
    await postText(service, { ...answer, unattached: [...answer.unattached, ...refused] }, context);
    return notTaken(error);
  }
}

/**
 * Replaces the text of the message that was posted for the answer, which is harmless to repeat. Without that message,
 * or once somebody has deleted it, the answer is a message of its own.
 */
async function postText(
  service: Service,
  { channel, thread, reply, outlastEdit, ...answer }: ThreadAnswer,
  context: AnswerContext,
): Promise<void> {
  const text = await slackAnswerOf(answer, context);
  if (reply !== null) {
    const write = async () =>
      callSlack(service, { method: 'chat.update', json: { channel, ts: reply, text }, effect: 'keyed' });
    try {
      await write();
      // The edit may have arrived after that.
      if (await outlastEdit()) await write();
      return;
    } catch (error) {
      if (!isMessageGone(error)) throw error;
    }
  }
  const json = { channel, text, ...NO_PREVIEWS, ...(thread !== null && { thread_ts: thread }) };
  await callSlack(service, { method: 'chat.postMessage', json, effect: 'once' });
}

/** Returns an answer as a message of Slack, with the link where it is cut, or its files are not attached. */
export async function slackAnswerOf(
  { body, link, unattached }: Pick<ThreadAnswer, 'body' | 'link' | 'unattached'>,
  context: Pick<SendContext, 'toBlocks'>,
): Promise<string> {
  const isWhole = !isCutInSlack(body) && unattached.length === 0;
  return messageOf({ subject: '', body, unattached, link: isWhole ? null : link }, SLACK_FORM, context);
}

/** Returns whether a text is too long for one message of Slack. */
export function isCutInSlack(body: string): boolean {
  return body.length > SLACK_FORM.characters;
}
