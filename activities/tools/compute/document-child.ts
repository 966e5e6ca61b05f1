import type { DocumentJob } from './documents/document-job.ts';
import { MAX_RESULT_TEXT, MAX_TEXT } from './job.ts';
import { serveJobs } from './serve-jobs.ts';

// The main program of a process for one job about a document, which ends with it. The libraries that it needs add to
// prototypes, and nothing else shares them.

/** Runs the jobs of each kind. */
const RUNNERS: {
  readonly [K in DocumentJob['kind']]: (job: Extract<DocumentJob, { kind: K }>, file: Buffer) => Promise<unknown>;
} = {
  mail_read: async (job, file) => (await import('./documents/read/read-mail.ts')).readMail(job, file),
  pdf_read: async (job, file) => (await import('./documents/read/read-pdf.ts')).readPdf(job, file),
  docx_read: async ({ format }, file) => {
    const { docxHtml } = await import('../../core/documents/docx-html.ts');
    return (await import('./text/convert-html.ts')).convertHtml(await docxHtml(file), format);
  },
  xlsx_read: async (job, file) => (await import('./documents/read/read-xlsx.ts')).readXlsx(job, file),
  pdf_create: async (job) => (await import('./documents/write/make-pdf.ts')).makePdf(job),
  docx_create: async (job, template) => (await import('./documents/write/make-docx.ts')).makeDocx(job, template),
  xlsx_write: async (job) => (await import('./documents/write/make-xlsx.ts')).makeXlsx(job),
};

/** Jobs whose result is a file in base64. */
const WRITING: ReadonlySet<DocumentJob['kind']> = new Set(['pdf_create', 'docx_create', 'xlsx_write']);

function isFile(job: DocumentJob): boolean {
  return WRITING.has(job.kind) || (job.kind === 'mail_read' && job.attachments !== undefined);
}

serveJobs<DocumentJob>({
  run: async (job, file) => (RUNNERS[job.kind] as (job: DocumentJob, file: Buffer) => Promise<unknown>)(job, file),
  maxTextOf: (job) => (isFile(job) ? MAX_TEXT : MAX_RESULT_TEXT),
});
