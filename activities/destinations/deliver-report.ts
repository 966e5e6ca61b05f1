import {
  type Delivery,
  readSubject,
  signingSecrets,
  type TargetDestination,
  type WebhookTarget,
} from '../../db/webhooks/index.ts';
import type { Payer } from '../../domain/core/keyed-semaphore.ts';
import { renderReport, type StoredReport } from '../../domain/destinations.ts';
import { type DeliverySubject, MAX_SENT_CHARACTERS, payloadOf } from '../../domain/webhooks.ts';
import { postSigned, type Sent } from '../core/network/signed-post.ts';
import { compute, runLargeWork, ToolFailure, type WorkspaceDeps } from '../tools/index.ts';
import type { Report } from './report.ts';
import { reportedOf } from './reported.ts';
import { gatherFiles } from './report-files.ts';
import { failedBy, type ReportDeps, sendReport, sendWithin } from './send-report.ts';

/** The dependencies of delivering reports. */
export interface DeliverReportDeps extends ReportDeps, WorkspaceDeps {
  readonly database: ReportDeps['database'] & WorkspaceDeps['database'];
  /** The URL of the console. */
  readonly publicUrl: string;
}

/** A report that is due, and its destination. */
interface DueReport {
  readonly delivery: Delivery & { readonly report: StoredReport };
  readonly destination: TargetDestination;
  readonly target: Pick<WebhookTarget, 'owner' | 'url' | 'secrets'>;
}

/** How long an attempt takes at most: the activity ends within two minutes. */
const LIMIT_MS = 90_000;

/** Sends a report once. Never throws because of the receiver; undefined when what it is of is gone. */
export async function deliverReport(
  deps: DeliverReportDeps,
  due: DueReport,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const payer = await deps.database.payers.of(due.target.owner.orgId);
  return sendWithin(LIMIT_MS, signal, async (limited) => {
    if (due.delivery.report.files.length === 0) return send(deps, { ...due, payer }, limited);
    try {
      return await runLargeWork(payer, limited, async () => send(deps, { ...due, payer }, limited));
    } catch (error) {
      // Too many large files are being sent.
      if (error instanceof ToolFailure && !limited.aborted) return failedBy(error);
      throw error;
    }
  });
}

async function send(
  deps: DeliverReportDeps,
  { delivery, destination, target, payer }: DueReport & { readonly payer: Payer },
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const { orgId } = target.owner;
  const subject = await readSubject(deps.database, orgId, delivery, MAX_SENT_CHARACTERS);
  if (subject === undefined) return undefined;
  const { id: deliveryId, report } = delivery;
  const sent = await reportOf(deps, { deliveryId, orgId, subject, report, payer }, signal);
  const { kind, config, integrationId } = destination;
  if (kind !== 'webhook') return sendReport(deps, { orgId, kind, config, integrationId }, sent, signal);
  const secrets = target.secrets.map((sealed) => signingSecrets.open(deps.box, target.owner, sealed));
  const files = sent.files.map(({ name, content }) => ({ name, bytes: content.length }));
  const payload = JSON.parse(payloadOf(deliveryId, subject)) as object;
  const body = JSON.stringify({ ...payload, report: { subject: sent.subject, body: sent.body, files } });
  return postSigned(deps.http, { deliveryId, url: target.url ?? '', body, secrets }, signal);
}

interface SubjectToReport {
  readonly deliveryId: string;
  readonly orgId: string;
  readonly payer: Payer;
  readonly subject: DeliverySubject;
  readonly report: StoredReport;
}

async function reportOf(
  deps: DeliverReportDeps,
  { deliveryId, orgId, payer, subject: told, report }: SubjectToReport,
  signal: AbortSignal,
): Promise<Report> {
  const { path, chatId, ...values } = reportedOf(told);
  const link = `${deps.publicUrl}/o/${orgId}/${path}`;
  const { subject, body, hasLink } = renderReport(report, { ...values, link });
  const { files, omitted } =
    report.files.length === 0 || chatId === null
      ? { files: [], omitted: [] }
      : await gatherFiles(
          deps,
          { orgId, chatId, globs: report.files },
          async (job) => compute(job, { payer, signal }),
          signal,
        );
  return {
    key: deliveryId,
    subject,
    body: omitted.length === 0 ? body : `${body}\n\nNot attached: ${omitted.join(', ')}`,
    link: hasLink ? null : link,
    files,
  };
}
