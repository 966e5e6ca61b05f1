import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { timeZoneChoices } from '../core/text/formats.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useIntegrations } from '../integrations/queries.ts';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { MultiChoiceField, NumberField } from '../ui/fields/fields.tsx';
import type { EditedRecord, RecordField } from '../ui/form/use-record.ts';
import { Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type DestinationValues, INTEGRATION_OF, WEEKDAYS } from './destination-values.ts';
import type { DestinationKind } from './queries.ts';
import { useDestinationsText } from './text.ts';

interface DestinationFieldsProps {
  readonly record: EditedRecord<DestinationValues>;
  readonly kind: DestinationKind;
  readonly hasSecret: boolean;
}

/** What a destination of a kind is made of. */
export function DestinationFields({ record: { values, field }, kind, hasSecret }: DestinationFieldsProps): ReactNode {
  const text = useDestinationsText();
  const zone = field('quiet_timezone');
  const zones = useMemo(() => timeZoneChoices(zone.value), [zone.value]);
  const days = WEEKDAYS.map((value) => ({ value, label: text.weekdays[value] }));
  return (
    <div className="stack">
      <Field label={text.name} required maxLength={100} {...field('name')} />
      {INTEGRATION_OF[kind] !== null && (
        <IntegrationField kind={INTEGRATION_OF[kind]} field={field('integration_id')} />
      )}
      {kind === 'email' && (
        <>
          <TextAreaField label={text.to} hint={text.toHint} required {...field('to')} />
          <TextAreaField label={text.cc} {...field('cc')} />
        </>
      )}
      {(kind === 'slack' || kind === 'discord') && (
        <Field label={text.channel} hint={text.channelHints[kind]} required={kind === 'slack'} {...field('channel')} />
      )}
      {kind === 'telegram' && <Field label={text.chat} hint={text.chatHint} required {...field('chat')} />}
      {kind === 'webhook' && (
        <>
          <Field label={text.url} type="url" placeholder="https://" required {...field('url')} />
          <Field
            label={text.secret}
            type="password"
            autoComplete="off"
            hint={hasSecret ? text.secretStored : text.secretHint}
            {...field('secret')}
          />
        </>
      )}
      <div>
        <Section title={text.quiet} lead={text.quietLead}>
          <div className="wrap">
            <Field label={text.quietFrom} type="time" required={values.quiet_to !== ''} {...field('quiet_from')} />
            <Field label={text.quietTo} type="time" required={values.quiet_from !== ''} {...field('quiet_to')} />
          </div>
          <ChoiceField
            label={text.zone}
            choices={zones}
            {...zone}
            onValueChange={(chosen) => zone.onValueChange(chosen ?? zone.value)}
          />
          <MultiChoiceField label={text.quietDays} placeholder={text.eachDay} choices={days} {...field('quiet_days')} />
        </Section>
        <Section title={text.digest} lead={text.digestLead}>
          <NumberField label={text.digestAfter} unit={text.minutes} min={1} step={1} {...field('digest_minutes')} />
        </Section>
      </div>
    </div>
  );
}

interface IntegrationFieldProps {
  /** The kind of integrations to choose from. */
  readonly kind: string;
  readonly field: RecordField<string | null>;
}

function IntegrationField({ kind, field }: IntegrationFieldProps): ReactNode {
  const [text, orgId] = [useDestinationsText(), useOrgId()];
  const all = useIntegrations().data?.items;
  const choices = (all ?? []).filter((each) => each.kind === kind);
  return (
    <ChoiceField
      label={text.integration}
      hint={
        all !== undefined && choices.length === 0 ? (
          <>
            {text.noIntegration}{' '}
            <Link to="/o/$orgId/integrations" params={{ orgId }}>
              {text.addIntegration}
            </Link>
          </>
        ) : (
          text.integrationHint
        )
      }
      choices={choices.map(({ id, name }) => ({ value: id, label: showInvisible(name) }))}
      {...field}
    />
  );
}
