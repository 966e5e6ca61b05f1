import { namesIn, renderTemplate } from './agent-workflows.ts';
import { cut, plainLine } from './core/text.ts';
import type { IntegrationKindKey } from './integrations/kinds/index.ts';
import { baseUrlIssue } from './network/host-names.ts';
import { parseMailAddress } from './network/mail-address.ts';
import type { PrivateHosts } from './network/addresses.ts';
import type { MissedSlots } from './schedules/decide-slot.ts';

/** The kinds of destinations. */
export const DESTINATION_KINDS = ['webhook', 'email', 'slack', 'teams', 'discord', 'telegram'] as const;

export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** The address of a destination; each kind uses some of these fields. */
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

/** An issue with a field of a configuration. */
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
  return recipientIssue(config) ?? channelIssue(kind, config) ?? urlIssue(config, privateHosts);
}

function recipientIssue({ to = [], cc = [] }: DestinationConfig): ConfigIssue | undefined {
  if (to.length + cc.length > MAX_RECIPIENTS)
    return { field: 'to', words: `must have at most ${MAX_RECIPIENTS} recipients together with cc` };
  for (const [field, addresses] of Object.entries({ to, cc }))
    if (addresses.some((address) => parseMailAddress(address) === undefined))
      return {
        field: field as 'to' | 'cc',
        words: 'must each be one address, such as a@example.com or Ada <a@example.com>',
      };
  return undefined;
}

function channelIssue(kind: DestinationKind, { channel, chat }: DestinationConfig): ConfigIssue | undefined {
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

/**
 * When to report: runs by their outcome, reports that were not delivered to another destination, or times at which
 * there was no run.
 */
export const REPORT_CONDITIONS = ['success', 'failure', 'always', 'undelivered', 'missed'] as const;

export type ReportCondition = (typeof REPORT_CONDITIONS)[number];

/** How the runs of a workflow or a schedule are reported to a destination. */
export interface RunReport {
  readonly destinationId: string;
  readonly when: ReportCondition;
  /** A template; null for the default one. */
  readonly subject: string | null;
  readonly body: string | null;
  /** Globs of the files of the workspace that go with it. */
  readonly files: string[];
}

/** The texts of a report as they were when its run ended. */
export interface StoredReport extends Pick<RunReport, 'subject' | 'body' | 'files'> {
  /** Who has set it, or had it sent again; null when the account was deleted before. */
  readonly userId: string | null;
  /** Another destination to which the report was not delivered, and why; null unless that is what is reported. */
  readonly undelivered: { readonly name: string; readonly error: string } | null;
  /** Why a schedule has not run; null for the report of a run. */
  readonly missed: MissedRun | null;
}

/** That a schedule has not run by itself when it was to. */
export interface MissedRun {
  /** Whether some times have passed, or it starts no runs any more. */
  readonly kind: 'missed' | 'paused';
  /** The first time that was missed, or when it was paused: together with the schedule it names the occasion. */
  readonly at: string;
  /** Why, in words. */
  readonly reason: string;
}

/** Returns the words that say which times of a schedule were missed. */
export function missedWords({ first, hasMore }: MissedSlots, { timezone, catchupMinutes }: MissedSchedule): string {
  const time = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone: timezone });
  const when = `${time.format(first)} (${timezone})${hasMore ? ' and at times after it' : ''}`;
  return `It did not run at ${when}: the catch-up window of ${catchupMinutes} min had passed.`;
}

interface MissedSchedule {
  readonly timezone: string;
  readonly catchupMinutes: number;
}

/** Where files of reports are downloaded by a token. */
export const REPORT_FILE_PATH = '/api/report-files/{token}';

/** The keys that a template may contain. */
export const REPORT_KEYS = ['name', 'status', 'output', 'error', 'link'] as const;

/** Returns an unknown key of a template; undefined when there is none. */
export function unknownKeyIn(template: string): string | undefined {
  return namesIn(template).find((name) => !(REPORT_KEYS as readonly string[]).includes(name));
}

/** Returns the index of a report of the same runs to the same destination as one before; undefined without one. */
export function repeatedReport(reports: readonly Pick<RunReport, 'destinationId' | 'when'>[]): number | undefined {
  const index = reports.findIndex(({ destinationId, when }, at) =>
    reports
      .slice(0, at)
      .some((other) => other.destinationId === destinationId && (other.when === when || overlap(other.when, when))),
  );
  return index === -1 ? undefined : index;
}

function overlap(one: ReportCondition, other: ReportCondition): boolean {
  return (one === 'always' || other === 'always') && isOfEnd(one) && isOfEnd(other);
}

const isOfEnd = (when: ReportCondition) => when !== 'undelivered' && when !== 'missed';

const SUBJECT = '{{name}}: {{status}}';
const SUBJECT_UNDELIVERED = '{{name}}: not delivered';
const BODY = '{{output}}{{error}}';
const MAX_SUBJECT = 200;
const MAX_BODY = 110_000;

/** The values that a run has for templates. */
export type ReportValues = Readonly<Record<(typeof REPORT_KEYS)[number], string>>;

/** Renders the one-line subject and the body of a report; the output of the run is never read as a template. */
export function renderReport(
  { subject, body, undelivered }: StoredReport,
  run: ReportValues,
): { readonly subject: string; readonly body: string; readonly hasLink: boolean } {
  const values = undelivered === null ? run : { ...run, error: withCause(undelivered, run.error) };
  const defaultBody = undelivered === null ? BODY : '{{error}}\n\n{{output}}';
  const line = renderTemplate(subject ?? (undelivered === null ? SUBJECT : SUBJECT_UNDELIVERED), values, MAX_BODY * 2);
  const text = renderTemplate(body ?? defaultBody, values, MAX_BODY);
  return {
    subject: plainLine(line?.text ?? run.name, MAX_SUBJECT),
    body: text?.text ?? cut(run.output, MAX_BODY),
    hasLink: body !== null && namesIn(body).includes('link'),
  };
}

function withCause({ name, error }: NonNullable<StoredReport['undelivered']>, cause: string): string {
  const words = `Not delivered to ${name}: ${error}`;
  return cause === '' ? words : `${words}\n\n${cause}`;
}
