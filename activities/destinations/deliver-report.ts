import {
  readSubject,
  type TargetDestination,
  type WaitingReport,
  type WebhookTarget,
} from '../../db/webhooks/next-delivery.ts';
import { signingSecrets } from '../../db/webhooks/set-webhook.ts';
import type { Payer } from '../../domain/core/keyed-semaphore.ts';
import { renderReport, type ReportValues, type StoredReport } from '../../domain/destinations.ts';
import { type DeliverySubject, MAX_SENT_CHARACTERS, payloadOf } from '../../domain/webhooks.ts';
import { postSigned, type Sent } from '../core/network/signed-post.ts';
import { compute } from '../tools/compute/compute.ts';
import { runLargeWork, type WorkspaceDeps } from '../tools/operations/tool-context.ts';
import { bodyWithin, type CollectedReport, digestOf } from './digest.ts';
import type { Report } from './report.ts';
import { type FileRoom, gatherFiles, WHOLE_ROOM } from './report-files.ts';
import { type ReportDeps, sendReport, sendWithin } from './send-report.ts';
import { markedAnswer } from '../../domain/turns.ts';

/** The dependencies of delivering reports. */
export interface DeliverReportDeps extends ReportDeps, WorkspaceDeps {
  readonly database: ReportDeps['database'] & WorkspaceDeps['database'];
  /** The URL of the console. */
  readonly publicUrl: string;
}

/** Reports that are due together, and their destination. */
interface DueReports {
  readonly reports: readonly WaitingReport[];
  readonly destination: TargetDestination;
  readonly target: Pick<WebhookTarget, 'owner' | 'url' | 'secrets'>;
}

/** How long an attempt takes at most: the activity ends within two minutes. */
const LIMIT_MS = 90_000;

/** Sends reports as one message. Never throws because of the receiver; undefined when what they are of is gone. */
export async function deliverReport(
  deps: DeliverReportDeps,
  due: DueReports,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const payer = await deps.database.payers.of(due.target.owner.orgId);
  return sendWithin(LIMIT_MS, signal, async (limited) => {
    if (due.reports.every(({ report }) => report.files.length === 0)) return send(deps, { ...due, payer }, limited);
    return runLargeWork(payer, limited, async () => send(deps, { ...due, payer }, limited));
  });
}

/** A report as it is sent, and what a webhook is told of what it is of. */
interface ReadyReport {
  readonly report: CollectedReport;
  readonly payload: object;
}

/** The characters of the answers in a digest to a webhook, and as many of the bodies of its reports. */
const MAX_DIGEST_CHARACTERS = 400_000;

async function send(
  deps: DeliverReportDeps,
  { reports: waiting, destination, target, payer }: DueReports & { readonly payer: Payer },
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const { orgId } = target.owner;
  const ready: ReadyReport[] = [];
  let room = WHOLE_ROOM;
  const share = Math.min(MAX_SENT_CHARACTERS, Math.floor(MAX_DIGEST_CHARACTERS / waiting.length));
  for (const delivery of waiting) {
    const { id: deliveryId, report: stored } = delivery;
    const subject = await readSubject(deps.database, orgId, delivery, MAX_SENT_CHARACTERS);
    if (subject === undefined) continue;
    const report = await reportOf(deps, { deliveryId, orgId, subject, report: stored, payer, room }, signal);
    room = roomAfter(room, report.files);
    ready.push({ report, payload: JSON.parse(payloadOf(deliveryId, subject, share)) as object });
  }
  const [first, ...others] = ready.map(({ report }) => report);
  if (first === undefined) return undefined;
  const { kind, config, integrationId } = destination;
  const page = `${deps.publicUrl}/o/${orgId}/destinations/${target.owner.id}`;
  const sent = others.length === 0 ? first : digestOf([first, ...others], page);
  if (kind !== 'webhook') return sendReport(deps, { orgId, kind, config, integrationId }, sent, signal);
  const secrets = target.secrets.map((sealed) => signingSecrets.open(deps.box, target.owner, sealed));
  const reports = ready.map((each) => postedReport(each, others.length === 0 ? Infinity : share));
  const body = JSON.stringify(others.length === 0 ? reports[0] : { id: sent.key, type: 'digest', reports });
  return postSigned(deps.http, { deliveryId: sent.key, url: target.url ?? '', body, secrets }, signal);
}

function roomAfter({ files, bytes }: FileRoom, attached: Report['files']): FileRoom {
  return {
    files: files - attached.length,
    bytes: attached.reduce((left, { content }) => left - content.length, bytes),
  };
}

function postedReport({ report, payload }: ReadyReport, room: number) {
  const named = report.files.map(({ name, content }) => ({ name, bytes: content.length }));
  return { ...payload, report: { subject: report.subject, body: bodyWithin(report, room), files: named } };
}

interface SubjectToReport {
  readonly deliveryId: string;
  readonly orgId: string;
  readonly payer: Payer;
  readonly subject: DeliverySubject;
  readonly report: StoredReport;
  readonly room: FileRoom;
}

async function reportOf(
  deps: DeliverReportDeps,
  { deliveryId, orgId, payer, subject: reported, report, room }: SubjectToReport,
  signal: AbortSignal,
): Promise<CollectedReport> {
  const { path, chatId, ...values } = reportedOf(reported);
  const link = `${deps.publicUrl}/o/${orgId}/${path}`;
  const { subject, body, hasLink } = renderReport(report, { ...values, link });
  const { files, omitted } =
    report.files.length === 0 || chatId === null
      ? { files: [], omitted: [] }
      : await gatherFiles(
          deps,
          { orgId, chatId, globs: report.files, room },
          async (job) => compute(job, { payer, signal }),
          signal,
        );
  return {
    key: deliveryId,
    subject,
    body: omitted.length === 0 ? body : `${body}\n\nNot attached: ${omitted.join(', ')}`,
    link: hasLink ? null : link,
    page: link,
    files,
  };
}

/** What a report tells of: its values for templates, and where people and files of it are found. */
interface Reported extends Omit<ReportValues, 'link'> {
  /** Its page in the console, below that of the organization. */
  readonly path: string;
  /** The chat whose workspace has its files; null for none. */
  readonly chatId: string | null;
}

/** Returns what a report tells of. */
function reportedOf(subject: DeliverySubject): Reported {
  if (subject.kind === 'missed') {
    const { id, name, workflowId, missed } = subject;
    const path = workflowId === null ? `schedules/${id}` : `workflows/${workflowId}`;
    return { name, status: missed.kind, output: '', error: missed.reason, path, chatId: null };
  }
  if (subject.kind === 'run') {
    const { id, workflowName, scheduleName, status, output, error, chatId } = subject;
    const name = workflowName ?? scheduleName ?? '';
    return { name, status, output: output ?? '', error: error ?? '', path: `runs?id=${id}`, chatId };
  }
  const { chatTitle, task, status, content, error, finishReason, workspaceChatId } = subject;
  const output = markedAnswer(content, finishReason);
  const path = task === null ? `chats/${subject.chatId}` : `tasks/${task.id}`;
  const name = task === null ? chatTitle : task.title;
  return { name, status: status ?? '', output, error: error ?? '', path, chatId: workspaceChatId };
}
