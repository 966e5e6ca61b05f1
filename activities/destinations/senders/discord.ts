import { encodeForm, pathOf } from '../../tools/builtin/services/service-tool.ts';
import { nonceOf } from '../../tools/builtin/communication/discord.ts';
import { CUT, LINK_TEXT, type Sender } from './sender.ts';

const MAX_CONTENT = 2_000;

/** Posts a report to a channel of Discord, or by the webhook of the integration. Nobody is mentioned by it. */
export const sendToDiscord: Sender = async (service, { subject, body, link, files, key }, { config: { channel } }) => {
  const title = `**${subject}**\n\n`;
  const footer = link === null ? '' : `\n\n[${LINK_TEXT}](${link})`;
  const room = MAX_CONTENT - title.length - footer.length;
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
