import { createHash } from 'node:crypto';
import { ToolFailure } from '../../../tool-failure.ts';

const CARD = 'application/vnd.microsoft.card.adaptive';

/** What a message says: a text, a card, or both. */
interface TeamsContent {
  readonly text?: string | undefined;
  /** An Adaptive Card. */
  readonly card?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns a message as Microsoft Graph takes it; a card stands where the text names its id. */
export function graphMessage({ text, card }: TeamsContent, key: string): Readonly<Record<string, unknown>> {
  if (card === undefined) return { body: { contentType: 'text', content: required(text) } };
  const id = createHash('sha256').update(key).digest('hex').slice(0, 32);
  const content = `${text === undefined ? '' : `<p>${escaped(text)}</p>`}<attachment id="${id}"></attachment>`;
  return {
    body: { contentType: 'html', content },
    attachments: [{ id, contentType: CARD, content: JSON.stringify(card) }],
  };
}

/** Returns a message as the webhook of a workflow takes it: cards only, so a text becomes one. */
export function webhookMessage({ text, card }: TeamsContent): Readonly<Record<string, unknown>> {
  const content = card ?? {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [{ type: 'TextBlock', text: required(text), wrap: true }],
  };
  return { type: 'message', attachments: [{ contentType: CARD, contentUrl: null, content }] };
}

function required(text: string | undefined): string {
  if (text === undefined) throw new ToolFailure('invalid_input', 'Give text or card');
  return text;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\n': '<br>' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>\n]/g, (character) => ENTITIES[character] ?? '');
}
