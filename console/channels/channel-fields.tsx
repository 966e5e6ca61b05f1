import type { ReactNode } from 'react';
import { type EditedRecord, plainJson } from '../ui/form/use-record.ts';
import type { Channel } from './queries.ts';
import { useAgents } from '../agents/queries.ts';
import { useIntegrations } from '../integrations/queries.ts';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { SwitchField } from '../ui/fields/fields.tsx';
import { showInvisible } from '../ui/visible.ts';
import { useChannelsText } from './text.ts';

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

interface ChannelFieldsProps {
  readonly record: EditedRecord<ChannelValues>;
  readonly isNew?: boolean;
}

/** What a channel is made of. */
export function ChannelFields({ record: { field }, isNew = false }: ChannelFieldsProps): ReactNode {
  const text = useChannelsText();
  const agents = useAgents().data?.items ?? [];
  const integrations = useIntegrations().data?.items;
  const ofSlack = (integrations ?? []).filter(({ kind }) => kind === 'slack');
  const choicesOf = (records: readonly { readonly id: string; readonly name: string }[]) =>
    records.map(({ id, name }) => ({ value: id, label: showInvisible(name) }));
  return (
    <div className="stack">
      <Field label={text.name} required maxLength={100} {...field('name')} />
      <ChoiceField label={text.agent} hint={text.agentHint} choices={choicesOf(agents)} {...field('agent_id')} />
      <ChoiceField
        label={text.integration}
        hint={integrations !== undefined && ofSlack.length === 0 ? text.noIntegration : text.integrationHint}
        choices={choicesOf(ofSlack)}
        {...field('integration_id')}
      />
      <Field
        label={text.secret}
        type="password"
        autoComplete="off"
        required={isNew}
        hint={isNew ? text.secretHint : text.secretStored}
        {...field('secret')}
      />
      <SwitchField label={text.matchesEmail} hint={text.matchesEmailHint} {...field('matches_email')} />
    </div>
  );
}
