import type { JsonForm } from '../ui/form/json-form.ts';
import type { Destination, DestinationChanges, DestinationKind, Weekday } from './queries.ts';

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
