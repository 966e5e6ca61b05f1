import { shareInSlack } from '../../tools/builtin/communication/slack.ts';
import type { Service } from '../../tools/context.ts';
import { ToolFailure, type ToolFailureClass } from '../../tools/tool-failure.ts';
import { answerInSlack, slackAnswerOf } from './messages.ts';
import { type AnswerContext, notTaken, type ThreadAnswer } from './sender.ts';

/** Failures after which another attempt may help. */
const PASSING: ReadonlySet<ToolFailureClass> = new Set(['rate_limited', 'timeout', 'upstream']);

/**
 * Posts an answer to a thread of Slack, and the files that it links to, in one message, after it. Where Slack does not
 * take them, the answer names them, and the reason is returned.
 */
export async function answerInSlackWithFiles(
  service: Service,
  answer: ThreadAnswer,
  context: AnswerContext,
): Promise<string | null> {
  const { channel, thread, reply, files } = answer;
  if (reply !== null || files.length === 0) await answerInSlack(service, answer, context);
  if (files.length === 0) return null;
  // An answer that is a message of its own must not come again because of its files: it is one with them.
  const text = reply === null ? await slackAnswerOf(answer, context) : undefined;
  try {
    await shareInSlack(service, { channel, text, thread_ts: thread ?? undefined, files }, context);
    return null;
  } catch (error) {
    if (!(error instanceof ToolFailure) || PASSING.has(error.kind)) throw error;
    const refused = files.map(({ name: path, content }) => ({ path, bytes: content.length, link: null }));
    await answerInSlack(service, { ...answer, unattached: [...answer.unattached, ...refused] }, context);
    return notTaken(error);
  }
}
