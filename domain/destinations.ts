import type { IntegrationKindKey } from './integrations/index.ts';
import { baseUrlIssue, parseMailAddress, type PrivateHosts } from './network/index.ts';

/** The kinds of destinations. */
export const DESTINATION_KINDS = ['webhook', 'email', 'slack', 'teams', 'discord', 'telegram'] as const;

export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** Where a destination of its kind leads; each kind knows some of these fields. */
export interface DestinationConfig {
  /** The recipients of a mail, such as `a@example.com` or `Ada <a@example.com>`. */
  readonly to?: string[] | undefined;
  readonly cc?: string[] | undefined;
  /** A channel of Slack or Discord. */
  readonly channel?: string | undefined;
  /** A chat of Telegram. */
  readonly chat?: string | undefined;
  /** Gets a signed POST. */
  readonly url?: string | undefined;
}

/** The recipients that one mail has at most, copies included. */
export const MAX_RECIPIENTS = 50;

interface KindRules {
  /** The kind of the integration whose credentials it uses; null for one that needs none. */
  readonly integration: IntegrationKindKey | null;
  readonly required: readonly (keyof DestinationConfig)[];
  readonly optional: readonly (keyof DestinationConfig)[];
}

const RULES: Readonly<Record<DestinationKind, KindRules>> = {
  email: { integration: 'smtp', required: ['to'], optional: ['cc'] },
  slack: { integration: 'slack', required: ['channel'], optional: [] },
  teams: { integration: 'ms_teams', required: [], optional: [] },
  // Without a channel, the webhook of the integration is used.
  discord: { integration: 'discord', required: [], optional: ['channel'] },
  telegram: { integration: 'telegram', required: ['chat'], optional: [] },
  webhook: { integration: null, required: ['url'], optional: [] },
};

/** Returns the kind of the integration that a destination uses; null when it uses none. */
export function integrationOf(kind: DestinationKind): IntegrationKindKey | null {
  return RULES[kind].integration;
}

const CHANNELS: Partial<Record<DestinationKind, { readonly form: RegExp; readonly words: string }>> = {
  // Files are shared by the id of a channel only, and a name may change.
  slack: { form: /^[A-Z][A-Z0-9]{2,30}$/, words: 'must be the id of a channel, such as C024BE91L' },
  discord: { form: /^\d{1,20}$/, words: 'must be the id of a channel, which has digits only' },
};
const CHAT = /^(?:-?\d{1,20}|@[A-Za-z]\w{3,31})$/;

/** What is wrong with a field of a configuration. */
interface ConfigIssue {
  readonly field: keyof DestinationConfig;
  readonly words: string;
}

/** Returns what is wrong with the configuration of a destination; undefined when nothing is. */
export function configIssue(
  kind: DestinationKind,
  config: DestinationConfig,
  privateHosts: PrivateHosts,
): ConfigIssue | undefined {
  const { required, optional } = RULES[kind];
  const known = [...required, ...optional];
  const given = Object.keys(config) as (keyof DestinationConfig)[];
  const unknown = given.find((field) => !known.includes(field));
  if (unknown !== undefined) return { field: unknown, words: `is unknown to the kind ${kind}` };
  const missing = required.find((field) => config[field] === undefined);
  if (missing !== undefined) return { field: missing, words: `is required for the kind ${kind}` };
  return recipientIssue(config) ?? placeIssue(kind, config) ?? urlIssue(config, privateHosts);
}

function recipientIssue({ to = [], cc = [] }: DestinationConfig): ConfigIssue | undefined {
  if (to.length + cc.length > MAX_RECIPIENTS)
    return { field: 'to', words: `must have at most ${MAX_RECIPIENTS} recipients together with cc` };
  for (const [field, addresses] of Object.entries({ to, cc }))
    if (addresses.some((address) => parseMailAddress(address) === undefined))
      return {
        field: field as 'to' | 'cc',
        words: 'must hold one address each, such as a@example.com or Ada <a@example.com>',
      };
  return undefined;
}

function placeIssue(kind: DestinationKind, { channel, chat }: DestinationConfig): ConfigIssue | undefined {
  const rule = CHANNELS[kind];
  if (channel !== undefined && rule !== undefined && !rule.form.test(channel))
    return { field: 'channel', words: rule.words };
  if (chat !== undefined && !CHAT.test(chat))
    return { field: 'chat', words: 'must be the id of a chat, or the @name of a public channel' };
  return undefined;
}

function urlIssue({ url }: DestinationConfig, privateHosts: PrivateHosts): ConfigIssue | undefined {
  const words = url === undefined ? undefined : baseUrlIssue(url, privateHosts);
  return words === undefined ? undefined : { field: 'url', words };
}
