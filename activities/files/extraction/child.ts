import { Unreadable } from '../../core/documents/office-file.ts';
import { type ExtractionJob, ISSUE, SAME_TEXT, TEXT_APART, TextRoom } from './job.ts';

// The main program of a process that extracts one text: a line of JSON and the bytes of a file come in, the text goes
// out. The file comes from a stranger, so the process has nothing else. Libraries are loaded when they are needed.

const NEWLINE = 10;
const OFFICE = 'application/vnd.openxmlformats-officedocument.';

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const input = Buffer.concat(chunks.splice(0));
const headEnd = input.indexOf(NEWLINE);
const given = JSON.parse(input.subarray(0, headEnd).toString()) as ExtractionJob;
process.stdout.write(await resultOf(given, input.subarray(headEnd + 1)));

async function resultOf(job: ExtractionJob, bytes: Buffer): Promise<string> {
  try {
    const { text, isSame } = await read(job, bytes);
    const room = new TextRoom();
    room.add(text);
    return (isSame ? SAME_TEXT : TEXT_APART) + room.text;
  } catch (error) {
    return ISSUE + (error instanceof Unreadable ? error.message : 'The file could not be read');
  }
}

async function read(job: ExtractionJob, bytes: Buffer): Promise<{ readonly text: string; readonly isSame: boolean }> {
  const { mediaType } = job;
  const apart = (text: string) => ({ text, isSame: false });
  if (mediaType === 'application/pdf') return apart(await (await import('./readers/read-pdf.ts')).readPdf(bytes));
  const readHtml = async (html: string) => (await import('./readers/read-html.ts')).readHtml(html);
  if (mediaType === `${OFFICE}wordprocessingml.document`) {
    const { docxHtml } = await import('../../core/documents/docx-html.ts');
    return apart(await readHtml(await docxHtml(bytes)));
  }
  if (mediaType === `${OFFICE}spreadsheetml.sheet`)
    return apart(await (await import('./readers/read-xlsx.ts')).readXlsx(bytes));
  const plain = (await import('./readers/read-plain.ts')).readPlain(job, bytes);
  if (mediaType !== 'text/html') return plain;
  return apart(await readHtml(plain.text));
}
