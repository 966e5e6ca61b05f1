import { plainJson } from '../ui/form/json-form.ts';
import type { Channel } from './queries.ts';

/** What the form of a channel changes. */
export interface ChannelValues {
  readonly name: string;
  readonly agent_id: string | null;
  readonly integration_id: string | null;
  readonly secret: string;
  readonly matches_email: boolean;
  /** Changed as JSON. */
  readonly people: Channel['people'];
}

/** What the form of a new channel begins with. */
export const NEW_CHANNEL: ChannelValues = {
  name: '',
  agent_id: null,
  integration_id: null,
  secret: '',
  matches_email: true,
  people: {},
};

/** Returns what the form changes of a stored channel. */
export function valuesOf({ name, agent_id, integration_id, matches_email, people }: Channel): ChannelValues {
  return { name, agent_id, integration_id, secret: '', matches_email, people };
}

/** Returns what is sent of values that a form has changed; an empty secret keeps the stored one. */
export function bodyOf({ agent_id, integration_id, secret, ...values }: Partial<ChannelValues>) {
  return {
    ...values,
    ...(agent_id != null && { agent_id }),
    ...(integration_id != null && { integration_id }),
    ...(secret !== undefined && secret !== '' && { secret }),
  };
}

/** How a channel is written as JSON. */
export const CHANNEL_JSON = plainJson<ChannelValues>({ secrets: ['secret'] });
