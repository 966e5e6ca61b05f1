import { webhookMessage } from '../../tools/builtin/communication/ms-teams.ts';
import { CARD_TEXT } from '../dialects.ts';
import { LINK_TEXT, messageOf, type Sender } from './sender.ts';

// A message has 28 kB at most, as JSON.
const FORM = { dialect: CARD_TEXT, characters: 12_000, bytes: 18_000 };

/** Posts a report as a card to the webhook of a Microsoft Teams integration, which accepts no files: it names them. */
export const sendToTeams: Sender = async (service, report, context) => {
  const { subject, link, files } = report;
  const names = files.map(({ name }) => name).join(', ');
  const text = await messageOf({ ...report, link: null }, FORM, context);
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: subject,
    body: [
      { type: 'TextBlock', text, wrap: true },
      ...(names === '' ? [] : [{ type: 'TextBlock', text: `Files: ${names}`, wrap: true, isSubtle: true }]),
    ],
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
