import { nonceOf } from '../../tools/builtin/communication/discord.ts';
import { webhookMessage } from '../../tools/builtin/communication/ms-teams.ts';
import { callSlack, NO_PREVIEWS, shareInSlack } from '../../tools/builtin/communication/slack.ts';
import { callTelegram, sendDocument } from '../../tools/builtin/communication/telegram.ts';
import { encodeForm, pathOf } from '../../tools/builtin/services/service-tool.ts';
import { ToolFailure } from '../../tools/tool-failure.ts';
import { CARD_TEXT, MRKDWN, TELEGRAM_HTML } from '../dialects.ts';
import { CUT, fileLines, LINK_TEXT, messageOf, notTaken, type Sender } from './sender.ts';

/** The form of a message of Slack. */
export const SLACK_FORM = { dialect: MRKDWN, characters: 12_000, bytes: 39_000 };

/** Posts a report to a channel of Slack; files go with it, in the same message. */
export const sendToSlack: Sender = async (service, report, context) => {
  const { channel = '' } = context.config;
  const text = await messageOf(report, SLACK_FORM, context);
  const { files } = report;
  if (files.length > 0) await shareInSlack(service, { channel, text, thread_ts: undefined, files }, context);
  else
    await callSlack(service, { method: 'chat.postMessage', json: { channel, text, ...NO_PREVIEWS }, effect: 'once' });
  return null;
};

// A message has 28 kB at most, as JSON.
const TEAMS_FORM = { dialect: CARD_TEXT, characters: 12_000, bytes: 18_000 };

/** Posts a report as a card to the webhook of a Microsoft Teams integration, which accepts no files. */
export const sendToTeams: Sender = async (service, report, context) => {
  const { subject, link } = report;
  const text = await messageOf({ ...report, link: null }, TEAMS_FORM, context);
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: subject,
    body: [{ type: 'TextBlock', text, wrap: true }],
    ...(link !== null && { actions: [{ type: 'Action.OpenUrl', title: LINK_TEXT, url: link }] }),
  };
  await service.request({
    method: 'POST',
    to: 'webhook_url',
    path: '',
    json: webhookMessage({ card }),
    effect: 'once',
  });
  return null;
};

const DISCORD_CHARACTERS = 2_000;
const MAX_LINES = 1_200;

const DISCORD_TEXT = {
  escape: (text: string) => text.replaceAll(/[\\`*_~|<>@#]/g, String.raw`\$&`),
  link: CARD_TEXT.link,
};

/** Returns the first lines about files, and how many more there are: links are long. */
function fittingLines(lines: readonly string[]): readonly string[] {
  let length = 0;
  const fitting = lines.filter((line) => (length += line.length) <= MAX_LINES);
  const more = lines.length - fitting.length;
  return more === 0 ? lines : [...fitting, `• ${more} more`];
}

/** Posts a report to a channel of Discord, or by the webhook of the integration. Nobody is mentioned by it. */
export const sendToDiscord: Sender = async (service, report, { config: { channel } }) => {
  const { subject, body, link, files, unattached, key } = report;
  const title = `**${subject}**\n\n`;
  const lines = fittingLines(fileLines(unattached, DISCORD_TEXT));
  const footer = [lines.join('\n'), link === null ? '' : `[${LINK_TEXT}](${link})`]
    .filter((part) => part !== '')
    .map((part) => `\n\n${part}`)
    .join('');
  const room = DISCORD_CHARACTERS - title.length - footer.length;
  const text = body.length > room ? `${body.slice(0, room - CUT.length).toWellFormed()}${CUT}` : body;
  const message = { content: `${title}${text}${footer}`, allowed_mentions: { parse: [] } };
  const json = channel === undefined ? message : { ...message, nonce: nonceOf(key), enforce_nonce: true };
  const where =
    channel === undefined
      ? ({ to: 'webhook_url', path: '', query: { wait: true }, effect: 'once' } as const)
      : ({ path: pathOf`/channels/${channel}/messages`, effect: 'keyed' } as const);
  if (files.length === 0) await service.request({ ...where, method: 'POST', json });
  else {
    const form = new FormData();
    form.append('payload_json', JSON.stringify(json));
    for (const [index, { name, content }] of files.entries())
      form.append(`files[${index}]`, new Blob([new Uint8Array(content)]), name);
    await service.request({ ...where, method: 'POST', ...(await encodeForm(form)) });
  }
  return null;
};

// Telegram counts 4,096 characters after it has read the tags.
const TELEGRAM_FORM = { dialect: TELEGRAM_HTML, characters: 3_600, bytes: 30_000 };

/** Sends a report to a chat of Telegram, and its files after it. */
export const sendToTelegram: Sender = async (service, report, context) => {
  const { chat = '' } = context.config;
  const text = await messageOf(report, TELEGRAM_FORM, context);
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
