import type { ReactNode } from 'react';
import { type EditedRecord, plainJson } from '../ui/form/use-record.ts';
import type { Channel, ChannelKind } from './queries.ts';
import { useAgents } from '../agents/queries.ts';
import { useIntegrations } from '../integrations/queries.ts';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { SelectField, SwitchField } from '../ui/fields/fields.tsx';
import { showInvisible } from '../ui/visible.ts';
import { useChannelsText } from './text.ts';

/** What the form of a channel changes. */
export interface ChannelValues {
  /** Chosen when it is added. */
  readonly kind: ChannelKind;
  readonly name: string;
  readonly agent_id: string | null;
  readonly integration_id: string | null;
  readonly secret: string;
  readonly matches_email: boolean;
  /** Those of the kind `email`. */
  readonly address: string;
  readonly auth_service: string;
  /** Changed as JSON. */
  readonly people: Channel['people'];
}

/** What the form of a new channel begins with. */
export const NEW_CHANNEL: ChannelValues = {
  kind: 'slack',
  name: '',
  agent_id: null,
  integration_id: null,
  secret: '',
  matches_email: true,
  address: '',
  auth_service: '',
  people: {},
};

/** The kind of the integration that a kind of channels answers with. */
const INTEGRATION_OF: Readonly<Record<ChannelKind, string>> = { email: 'smtp', slack: 'slack' };

/** Returns what the form changes of a stored channel. */
export function valuesOf({
  kind,
  name,
  agent_id,
  integration_id,
  matches_email,
  mail,
  people,
}: Channel): ChannelValues {
  const { address, auth_service } = mail ?? NEW_CHANNEL;
  return { kind, name, agent_id, integration_id, secret: '', matches_email, address, auth_service, people };
}

/** Returns what is sent of values that a form has changed; an empty secret keeps the stored one. */
export function bodyOf(
  { kind: _kind, agent_id, integration_id, secret, address, auth_service, ...changes }: Partial<ChannelValues>,
  values: Pick<ChannelValues, 'kind' | 'address' | 'auth_service'>,
) {
  const isOfMailbox = address !== undefined || auth_service !== undefined;
  return {
    ...changes,
    ...(agent_id != null && { agent_id }),
    ...(integration_id != null && { integration_id }),
    ...(secret !== undefined && secret !== '' && { secret }),
    ...(values.kind === 'email' &&
      isOfMailbox && { mail: { address: values.address, auth_service: values.auth_service } }),
  };
}

/** How a channel is written as JSON. Its kind does not change. */
export const CHANNEL_JSON = plainJson<ChannelValues>({ secrets: ['kind', 'secret'] });

const KINDS = ['slack', 'email'] as const satisfies readonly ChannelKind[];

interface ChannelFieldsProps {
  readonly record: EditedRecord<ChannelValues>;
  readonly isNew?: boolean;
}

/** What a channel is made of. */
export function ChannelFields({ record: { values, field }, isNew = false }: ChannelFieldsProps): ReactNode {
  const text = useChannelsText();
  const agents = useAgents().data?.items ?? [];
  const integrations = useIntegrations().data?.items;
  const { kind } = values;
  const usable = (integrations ?? []).filter((each) => each.kind === INTEGRATION_OF[kind]);
  const choicesOf = (records: readonly { readonly id: string; readonly name: string }[]) =>
    records.map(({ id, name }) => ({ value: id, label: showInvisible(name) }));
  return (
    <div className="stack">
      {isNew && (
        <SelectField
          label={text.kind}
          options={KINDS.map((value) => ({ value, label: text.kinds[value] }))}
          {...field('kind')}
        />
      )}
      <Field label={text.name} required maxLength={100} {...field('name')} />
      <ChoiceField label={text.agent} hint={text.agentHint} choices={choicesOf(agents)} {...field('agent_id')} />
      <ChoiceField
        label={text.integration}
        hint={integrations !== undefined && usable.length === 0 ? text.noIntegration[kind] : text.integrationHint}
        choices={choicesOf(usable)}
        {...field('integration_id')}
      />
      <Field
        label={text.secret}
        type="password"
        autoComplete="off"
        required={isNew}
        hint={isNew ? text.secretHints[kind] : text.secretStored}
        {...field('secret')}
      />
      {kind === 'email' && (
        <>
          <Field label={text.mailbox} hint={text.mailboxHint} type="email" required {...field('address')} />
          <Field
            label={text.mailService}
            hint={text.mailServiceHint}
            required
            maxLength={253}
            {...field('auth_service')}
          />
        </>
      )}
      <SwitchField label={text.matchesEmails[kind]} hint={text.matchesEmailHint} {...field('matches_email')} />
    </div>
  );
}
