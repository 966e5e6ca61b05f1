import { readSubject, signingSecrets, type TargetDestination, type WebhookTarget } from '../../db/webhooks/index.ts';
import type { Payer } from '../../domain/core/keyed-semaphore.ts';
import { renderReport, type ReportValues, type StoredReport } from '../../domain/destinations.ts';
import { MAX_SENT_CHARACTERS, payloadOf, type RunSubject } from '../../domain/webhooks.ts';
import { postSigned, type Sent } from '../core/network/signed-post.ts';
import { compute, runLargeWork, ToolFailure, type WorkspaceDeps } from '../tools/index.ts';
import type { Report } from './report.ts';
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
  readonly deliveryId: string;
  readonly runId: string;
  readonly report: StoredReport;
  readonly destination: TargetDestination;
  readonly target: Pick<WebhookTarget, 'owner' | 'url' | 'secrets'>;
}

/** How long an attempt takes at most: the activity ends within two minutes. */
const LIMIT_MS = 90_000;

/** Sends a report of a run once. Never throws because of the receiver; undefined when the run is gone. */
export async function deliverReport(
  deps: DeliverReportDeps,
  due: DueReport,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const payer = await deps.database.payers.of(due.target.owner.orgId);
  return sendWithin(LIMIT_MS, signal, async (limited) => {
    if (due.report.files.length === 0) return send(deps, { ...due, payer }, limited);
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
  { deliveryId, runId, report, destination, target, payer }: DueReport & { readonly payer: Payer },
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const { orgId } = target.owner;
  const subject = await readSubject(deps.database, orgId, { messageId: null, runId }, MAX_SENT_CHARACTERS);
  if (subject?.kind !== 'run') return undefined;
  const sent = await reportOf(deps, { deliveryId, orgId, run: subject, report, payer }, signal);
  const { kind, config, integrationId } = destination;
  if (kind !== 'webhook') return sendReport(deps, { orgId, kind, config, integrationId }, sent, signal);
  const secrets = target.secrets.map((sealed) => signingSecrets.open(deps.box, target.owner, sealed));
  const files = sent.files.map(({ name, content }) => ({ name, bytes: content.length }));
  const payload = JSON.parse(payloadOf(deliveryId, subject)) as object;
  const body = JSON.stringify({ ...payload, report: { subject: sent.subject, body: sent.body, files } });
  return postSigned(deps.http, { deliveryId, url: target.url ?? '', body, secrets }, signal);
}

interface RunToReport {
  readonly deliveryId: string;
  readonly orgId: string;
  readonly payer: Payer;
  readonly run: RunSubject;
  readonly report: StoredReport;
}

async function reportOf(
  deps: DeliverReportDeps,
  { deliveryId, orgId, payer, run, report }: RunToReport,
  signal: AbortSignal,
): Promise<Report> {
  const link = `${deps.publicUrl}/o/${orgId}/runs?id=${run.id}`;
  const values: ReportValues = {
    name: run.workflowName ?? run.scheduleName ?? '',
    status: run.status,
    output: run.output ?? '',
    error: run.error ?? '',
    link,
  };
  const { subject, body, hasLink } = renderReport(report, values);
  const { files, omitted } =
    report.files.length === 0 || run.chatId === null
      ? { files: [], omitted: [] }
      : await gatherFiles(
          deps,
          { orgId, chatId: run.chatId, globs: report.files },
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
