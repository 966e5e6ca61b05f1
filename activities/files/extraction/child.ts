import { Unreadable } from '../../core/documents/office-file.ts';
import { type ExtractionJob, ISSUE, SAME_TEXT, TEXT_APART, TextRoom } from './job.ts';
import { readDocx, readHtml, readPdf, readPlain, readXlsx } from './readers.ts';

// The main program of a process that extracts one text: a line of JSON and the bytes of a file come in, the text goes
// out. The file comes from a stranger, so the process has nothing else.

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
  if (mediaType === 'application/pdf') return apart(await readPdf(bytes));
  if (mediaType === `${OFFICE}wordprocessingml.document`) return apart(await readDocx(bytes));
  if (mediaType === `${OFFICE}spreadsheetml.sheet`) return apart(await readXlsx(bytes));
  const plain = readPlain(job, bytes);
  return mediaType === 'text/html' ? apart(await readHtml(plain.text)) : plain;
}
