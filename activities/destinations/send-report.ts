import type { Database } from '../../db/core/database.ts';
import type { SecretBox } from '../../db/core/secret-box.ts';
import { findConnection } from '../../db/integrations/connections.ts';
import { toStorableText } from '../../domain/core/text.ts';
import type { DestinationConfig, DestinationKind } from '../../domain/destinations.ts';
import type { GuardedSockets } from '../core/network/guarded-connect.ts';
import type { GuardedHttp } from '../core/network/guarded-http.ts';
import { NOT_TAKEN, type Sent, TAKEN } from '../core/network/signed-post.ts';
import type { Block } from '../tools/compute/job.ts';
import { compute } from '../tools/compute/compute.ts';
import { openServiceOf } from '../tools/operations/open-integration.ts';
import { ToolFailure } from '../tools/tool-failure.ts';
import type { Report } from './report.ts';
import { sendMailReport } from './senders/mail.ts';
import { sendToDiscord, sendToSlack, sendToTeams, sendToTelegram } from './senders/messages.ts';
import type { SendContext, Sender } from './senders/sender.ts';

/** The dependencies of sending reports. */
export interface ReportDeps {
  readonly database: Pick<Database, 'tenant' | 'payers'>;
  readonly box: SecretBox;
  readonly http: GuardedHttp;
  readonly sockets: GuardedSockets;
}

/** The destinations that are reached by the service of an integration. */
export type ServiceKind = Exclude<DestinationKind, 'webhook'>;

/** Where a report is sent. */
export interface ReportTarget {
  readonly orgId: string;
  readonly kind: ServiceKind;
  readonly config: DestinationConfig;
  /** Null when it was deleted. */
  readonly integrationId: string | null;
}

const SENDERS: Readonly<Record<ServiceKind, Sender>> = {
  email: sendMailReport,
  slack: sendToSlack,
  teams: sendToTeams,
  discord: sendToDiscord,
  telegram: sendToTelegram,
};

/** The error for an integration that is gone. */
export const NO_INTEGRATION = 'Its integration was deleted: choose another one';
/** Errors by which services report that a channel or chat no longer exists, beside a status such as 404. */
const IS_GONE = /\bis_archived\b|\bchat not found\b|\bbot was (?:kicked|blocked)\b|\bgroup chat was deactivated\b/i;

/** Sends a report once, by the service of the destination's integration. Never throws because of the receiver. */
export async function sendReport(
  deps: ReportDeps,
  { orgId, kind, config, integrationId }: ReportTarget,
  report: Report,
  signal: AbortSignal,
): Promise<Sent> {
  const { database, http, sockets } = deps;
  const found = await findConnection(database, { orgId, integrationId });
  if (found === undefined) return { ...NOT_TAKEN, error: NO_INTEGRATION, verdict: 'gone' };
  try {
    const service = await openServiceOf(deps, found, signal);
    const context: SendContext = { config, http, sockets, signal, ...(await converters(database, orgId, signal)) };
    const note = await SENDERS[kind](service, report, context);
    return { ...TAKEN, error: note };
  } catch (error) {
    if (!(error instanceof ToolFailure) || signal.aborted) throw error;
    return failedBy(error);
  }
}

/** Returns the result of an attempt that a service has refused, or that could not be prepared. */
function failedBy(error: ToolFailure): Sent {
  return { ...NOT_TAKEN, error: toStorableText(error.message), retryAfter: error.waitMs, verdict: verdictOf(error) };
}

/**
 * Runs an attempt. What a service refuses, and what takes longer than the limit, is returned as a failure of the
 * receiver.
 */
export async function sendWithin<T>(
  limitMs: number,
  signal: AbortSignal,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T | Sent> {
  const limit = AbortSignal.timeout(limitMs);
  try {
    return await work(AbortSignal.any([signal, limit]));
  } catch (error) {
    if (signal.aborted) throw error;
    if (!limit.aborted) {
      if (error instanceof ToolFailure) return failedBy(error);
      throw error;
    }
    return { ...NOT_TAKEN, error: `It took longer than ${limitMs / 1_000} seconds` };
  }
}

function verdictOf({ kind, message }: ToolFailure): Sent['verdict'] {
  if (kind === 'not_found' || IS_GONE.test(message)) return 'gone';
  if (kind === 'denied') return 'refused';
  return kind === 'invalid_input' ? 'rejected' : undefined;
}

/** Returns what converts Markdown for an organization, in another process. */
export async function converters(
  { payers }: Pick<Database, 'payers'>,
  orgId: string,
  signal: AbortSignal,
): Promise<Pick<SendContext, 'toBlocks' | 'convert'>> {
  const by = { payer: await payers.of(orgId), signal };
  return {
    toBlocks: async (markdown) =>
      JSON.parse(await compute({ kind: 'markdown_blocks', markdown }, by)) as readonly Block[],
    convert: async (markdown, to) => {
      const content = Buffer.from(markdown).toString('base64');
      return JSON.parse(
        await compute({ kind: 'markdown', content, isMarkdown: true, to, keepsAddresses: true }, by),
      ) as string;
    },
  };
}
