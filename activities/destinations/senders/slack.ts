import { callSlack, shareInSlack } from '../../tools/index.ts';
import { MRKDWN } from '../dialects.ts';
import { messageOf, type Sender } from './sender.ts';

const FORM = { dialect: MRKDWN, characters: 12_000, bytes: 39_000 };

/** Posts a report to a channel of Slack; files go with it, in the same message. */
export const sendToSlack: Sender = async (service, report, context) => {
  const { channel = '' } = context.config;
  const text = await messageOf(report, FORM, context);
  const { files } = report;
  if (files.length > 0) await shareInSlack(service, { channel, text, thread_ts: undefined, files }, context);
  else {
    const json = { channel, text, unfurl_links: false, unfurl_media: false };
    await callSlack(service, { method: 'chat.postMessage', json, effect: 'once' });
  }
  return null;
};
