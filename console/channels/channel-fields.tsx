import type { ReactNode } from 'react';
import { useAgents } from '../agents/queries.ts';
import { useIntegrations } from '../integrations/queries.ts';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { SwitchField } from '../ui/fields/fields.tsx';
import type { EditedRecord } from '../ui/form/use-record.ts';
import { showInvisible } from '../ui/visible.ts';
import type { ChannelValues } from './channel-values.ts';
import { useChannelsText } from './text.ts';

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
