import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { EditedRecord, JsonForm, RecordField } from '../ui/form/use-record.ts';
import type { Destination, DestinationChanges, DestinationKind, Weekday } from './queries.ts';
import { timeZoneChoices } from '../core/text/formats.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useIntegrations } from '../integrations/queries.ts';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { MultiChoiceField, NumberField } from '../ui/fields/fields.tsx';
import { Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { useDestinationsText } from './text.ts';

/** What the form of a destination changes; each kind shows some of it. */
export interface DestinationValues {
  readonly name: string;
  readonly integration_id: string | null;
  /** One a line. */
  readonly to: string;
  readonly cc: string;
  readonly channel: string;
  readonly chat: string;
  readonly url: string;
  readonly secret: string;
  /** When quiet hours begin and end; empty for none. */
  readonly quiet_from: string;
  readonly quiet_to: string;
  readonly quiet_timezone: string;
  readonly quiet_days: readonly string[];
  /** For how long reports are collected into one message; null when each is sent by itself. */
  readonly digest_minutes: number | null;
}

/** What the form of a new destination begins with. */
export const NEW_DESTINATION: DestinationValues = {
  name: '',
  integration_id: null,
  to: '',
  cc: '',
  channel: '',
  chat: '',
  url: '',
  secret: '',
  quiet_from: '',
  quiet_to: '',
  quiet_timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  quiet_days: [],
  digest_minutes: null,
};

/** The days of the week. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const satisfies readonly Weekday[];

/** The kind of the integration that a kind of destinations sends with; null for none. */
export const INTEGRATION_OF: Readonly<Record<DestinationKind, string | null>> = {
  email: 'smtp',
  slack: 'slack',
  teams: 'ms_teams',
  discord: 'discord',
  telegram: 'telegram',
  webhook: null,
};

/** Returns what the form changes of a stored destination. */
export function valuesOf({
  name,
  integration_id,
  config,
  quiet_hours: quiet,
  digest_minutes,
}: Destination): DestinationValues {
  const { to = [], cc = [], channel = '', chat = '', url = '' } = config;
  return {
    ...NEW_DESTINATION,
    name,
    integration_id,
    to: to.join('\n'),
    cc: cc.join('\n'),
    channel,
    chat,
    url,
    digest_minutes,
    ...(quiet !== null && {
      quiet_from: quiet.from,
      quiet_to: quiet.to,
      quiet_timezone: quiet.timezone,
      quiet_days: quiet.days,
    }),
  };
}

/** Returns what is sent of the values of a form. */
export function bodyOf({ name, integration_id, secret, ...where }: DestinationValues) {
  const [to, cc] = [linesOf(where.to), linesOf(where.cc)];
  const config = {
    ...(to.length > 0 && { to }),
    ...(cc.length > 0 && { cc }),
    ...(where.channel !== '' && { channel: where.channel }),
    ...(where.chat !== '' && { chat: where.chat }),
    ...(where.url !== '' && { url: where.url }),
  };
  const { quiet_from: from, quiet_to: until, quiet_timezone: timezone, quiet_days: days, digest_minutes } = where;
  const quiet_hours =
    from === '' || until === ''
      ? null
      : { timezone, from, to: until, days: WEEKDAYS.filter((day) => days.includes(day)) };
  const times = { quiet_hours, digest_minutes };
  return { name, integration_id, config, ...times, ...(secret !== '' && { secret }) } satisfies DestinationChanges;
}

/** How a destination is written as JSON. */
export const DESTINATION_JSON: JsonForm<DestinationValues> = {
  write: ({ secret: _secret, ...values }) => bodyOf({ ...values, secret: '' }),
  read: ({ name, integration_id, config, quiet_hours, digest_minutes }: Destination) => {
    const given = { name, integration_id, config, quiet_hours, digest_minutes };
    const { secret: _secret, ...rest } = valuesOf(given as Destination);
    return rest;
  },
};

/** Returns the lines of a text that say something. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

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
          <NumberField label={text.digestAfter} unit={text.minutes} min={1} {...field('digest_minutes')} />
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
