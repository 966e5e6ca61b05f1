import {
  readSubject,
  type TargetDestination,
  type WaitingReport,
  type WebhookTarget,
} from '../../db/webhooks/next-delivery.ts';
import { signingSecrets } from '../../db/webhooks/set-webhook.ts';
import type { Payer } from '../../domain/core/keyed-semaphore.ts';
import { cut, toStorableText } from '../../domain/core/text.ts';
import { type DestinationKind, renderReport, type ReportValues } from '../../domain/destinations.ts';
import { type DeliverySubject, MAX_SENT_CHARACTERS, payloadOf } from '../../domain/webhooks.ts';
import { postSigned, type Sent } from '../core/network/signed-post.ts';
import { compute } from '../tools/compute/compute.ts';
import { runLargeWork } from '../tools/operations/tool-context.ts';
import { ToolFailure } from '../tools/tool-failure.ts';
import { bodyWithin, type CollectedReport, digestOf } from './digest.ts';
import { imageAddresses } from './pictures.ts';
import { nameOf, NO_FILES } from './report.ts';
import {
  type FileRoom,
  gatherFiles,
  type GatherDeps,
  matchesNothing,
  NO_ROOM,
  roomAfter,
  WHOLE_ROOM,
} from './report-files.ts';
import { converters, type ReportDeps, sendReport, sendWithin } from './send-report.ts';
import { markedAnswer } from '../../domain/turns.ts';

/** The dependencies of delivering reports. */
export interface DeliverReportDeps extends ReportDeps, GatherDeps {
  readonly database: ReportDeps['database'] & GatherDeps['database'];
}

/** Reports that are due together, and their destination. */
interface DueReports {
  readonly reports: readonly WaitingReport[];
  readonly destination: TargetDestination;
  readonly target: Pick<WebhookTarget, 'owner' | 'url' | 'secrets'>;
}

/** How long an attempt takes at most: the activity ends within two minutes. */
const LIMIT_MS = 90_000;

/** Sends reports as one message. Never throws because of the receiver; undefined when their subject is gone. */
export async function deliverReport(
  deps: DeliverReportDeps,
  due: DueReports,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const { orgId } = due.target.owner;
  const payer = await deps.database.payers.of(orgId);
  return sendWithin(LIMIT_MS, signal, async (limited) => {
    const drafts = await draftsOf(deps, due);
    const work = async () => send(deps, { ...due, payer, drafts }, limited);
    const { kind } = due.destination;
    return drafts.some((draft) => wantsFiles(draft, kind)) ? runLargeWork(payer, limited, work) : work();
  });
}

/** A report before its files are read, and the payload of its subject for a webhook. */
interface Draft {
  readonly report: Omit<CollectedReport, keyof typeof NO_FILES>;
  readonly payload: object;
  /** The chat whose workspace has its files; null for none. */
  readonly chatId: string | null;
  readonly globs: readonly string[];
}

interface DraftedReports extends DueReports {
  readonly payer: Payer;
  readonly drafts: readonly Draft[];
}

/** The characters of the answers in a digest to a webhook, and as many of the bodies of its reports. */
const MAX_DIGEST_CHARACTERS = 400_000;
/** The characters that are noted of what reports lack. */
const MAX_NOTE = 2_000;

async function draftsOf(
  { database, publicUrl }: DeliverReportDeps,
  { reports, target }: DueReports,
): Promise<readonly Draft[]> {
  const { orgId } = target.owner;
  const drafts: Draft[] = [];
  for (const delivery of reports) {
    const { id: key, report: stored } = delivery;
    const reported = await readSubject(database, orgId, delivery, MAX_SENT_CHARACTERS);
    if (reported === undefined) continue;
    const { path, chatId, ...values } = reportedOf(reported);
    const page = `${publicUrl}/o/${orgId}/${path}`;
    const { subject, body, hasLink } = renderReport(stored, { ...values, link: page });
    const report = { key, subject, body, link: hasLink ? null : page, page };
    const payload = JSON.parse(payloadOf(key, reported, shareOf(reports))) as object;
    drafts.push({ report, payload, chatId, globs: stored.missed === null ? stored.files : [] });
  }
  return drafts;
}

function shareOf({ length }: DueReports['reports']): number {
  return Math.min(MAX_SENT_CHARACTERS, Math.floor(MAX_DIGEST_CHARACTERS / length));
}

/** The kinds whose messages have no files: they get links. */
const WITHOUT_FILES: ReadonlySet<DestinationKind> = new Set(['teams', 'webhook']);
const IMAGE = /!\[|<img/i;

function wantsFiles({ chatId, globs, report }: Draft, kind: DestinationKind): boolean {
  return chatId !== null && (globs.length > 0 || (!WITHOUT_FILES.has(kind) && IMAGE.test(report.body)));
}

/** A report with its files, and words about those that it does not even name. */
interface GatheredReport extends CollectedReport {
  readonly omitted: readonly string[];
}

async function send(deps: DeliverReportDeps, due: DraftedReports, signal: AbortSignal): Promise<Sent | undefined> {
  const reports: GatheredReport[] = [];
  let room = WITHOUT_FILES.has(due.destination.kind) ? NO_ROOM : WHOLE_ROOM;
  for (const draft of due.drafts) {
    const report = await withFiles(deps, due, { draft, room }, signal);
    room = roomAfter(room, report);
    reports.push(report);
  }
  const [first, ...others] = reports;
  if (first === undefined) return undefined;
  const sent = await sendGathered(deps, due, [first, ...others], signal);
  return sent.isTaken ? { ...sent, error: noteOf(sent, reports) } : sent;
}

async function sendGathered(
  deps: DeliverReportDeps,
  { reports: waiting, destination, target, drafts }: DraftedReports,
  reports: readonly [GatheredReport, ...GatheredReport[]],
  signal: AbortSignal,
): Promise<Sent> {
  const { kind, config, integrationId } = destination;
  const { orgId } = target.owner;
  const page = `${deps.publicUrl}/o/${orgId}/destinations/${target.owner.id}`;
  const isDigest = reports.length > 1;
  const sent = isDigest ? digestOf(reports, page) : reports[0];
  if (kind !== 'webhook') return sendReport(deps, { orgId, kind, config, integrationId }, sent, signal);
  const secrets = target.secrets.map((sealed) => signingSecrets.open(deps.box, target.owner, sealed));
  const share = isDigest ? shareOf(waiting) : Infinity;
  const posted = reports.map((report, at) => ({ ...drafts[at]?.payload, report: postedReport(report, share) }));
  const body = JSON.stringify(isDigest ? { id: sent.key, type: 'digest', reports: posted } : posted[0]);
  return postSigned(deps.http, { deliveryId: sent.key, url: target.url ?? '', body, secrets }, signal);
}

/** Returns what is noted of reports that were taken: what the receiver rejected, and the files that they lack. */
function noteOf({ error }: Sent, reports: readonly GatheredReport[]): string | null {
  const isDigest = reports.length > 1;
  const lacking = reports
    .filter(({ omitted }) => omitted.length > 0)
    .map(({ subject, omitted }) => `${isDigest ? `${subject}: ` : ''}${notAttached(omitted)}`);
  const notes = [...(error === null ? [] : [error]), ...lacking];
  return notes.length === 0 ? null : cut(toStorableText(notes.join('; ')), MAX_NOTE);
}

function notAttached(omitted: readonly string[]): string {
  return `Not attached: ${omitted.join(', ')}`;
}

function postedReport(report: CollectedReport, room: number) {
  const files = report.unattached.map(({ path, bytes, link }) => ({
    name: nameOf(path),
    bytes,
    url: link?.url ?? null,
    expires_at: link?.expiresAt ?? null,
  }));
  return { subject: report.subject, body: bodyWithin(report, room), files };
}

async function withFiles(
  deps: DeliverReportDeps,
  { destination: { kind }, target: { owner }, payer, drafts }: DraftedReports,
  { draft, room }: { readonly draft: Draft; readonly room: FileRoom },
  signal: AbortSignal,
): Promise<GatheredReport> {
  const { report, chatId, globs } = draft;
  const { omitted, ...gathered } =
    chatId === null || !wantsFiles(draft, kind)
      ? { ...NO_FILES, omitted: globs.map(matchesNothing) }
      : await gatherFiles(
          deps,
          {
            orgId: owner.orgId,
            deliveryId: report.key,
            chatId,
            globs,
            addresses: WITHOUT_FILES.has(kind) ? [] : await imagesIn(deps, owner.orgId, report.body, signal),
            room,
          },
          async (job) => compute(job, { payer, signal }),
          signal,
        );
  const body = omitted.length === 0 ? report.body : `${report.body}\n\n${notAttached(omitted)}`;
  const whole = { ...report, ...gathered, omitted, body };
  // The texts of several reports may name different pictures by one address.
  if (kind === 'email' && drafts.length === 1) return whole;
  return { ...whole, files: [...gathered.pictures, ...gathered.files], pictures: [] };
}

async function imagesIn(
  { database }: DeliverReportDeps,
  orgId: string,
  body: string,
  signal: AbortSignal,
): Promise<string[]> {
  if (!IMAGE.test(body)) return [];
  try {
    const { convert } = await converters(database, orgId, signal);
    return imageAddresses(await convert(body, 'html'));
  } catch (error) {
    if (!(error instanceof ToolFailure) || signal.aborted) throw error;
    return [];
  }
}

/** The subject of a report: its values for templates, its page and the chat that has its files. */
interface Reported extends Omit<ReportValues, 'link'> {
  /** Its page in the console, below that of the organization. */
  readonly path: string;
  /** The chat whose workspace has its files; null for none. */
  readonly chatId: string | null;
}

/** Returns the subject of a report. */
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
