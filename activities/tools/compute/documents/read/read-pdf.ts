import { openPdf, pageText, type OpenPdf } from '../../../../core/documents/open-pdf.ts';
import type { PdfReadJob } from '../document-job.ts';

/** The text and metadata of a PDF. */
export interface PdfText {
  readonly pages: number;
  readonly title: string;
  readonly author: string;
  readonly text: string;
  /** The first wanted page that was not read; null when all were. */
  readonly next: number | null;
}

/** How long pages are read, in milliseconds: of very many each one takes long to find, and pictures fill no result. */
const READING_MS = 15_000;
const MAX_RANGES = 100;
const MAX_NAME = 300;
const RANGE = /^(\d{1,7})?(-)?(\d{1,7})?$/;

/** A range of pages, its end included. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** Reads pages of a PDF until there is enough. */
export async function readPdf({ pages, maxCharacters }: PdfReadJob, bytes: Buffer): Promise<PdfText> {
  const pdf = await openPdf(bytes);
  const ranges = pages === undefined ? [{ from: 1, to: pdf.numPages }] : parseRanges(pages, pdf.numPages);
  const parts: string[] = [];
  const end = performance.now() + READING_MS;
  let [room, next] = [maxCharacters, null as number | null];
  for (const number of numbersOf(ranges)) {
    const text = await pageText(pdf, number);
    const part = `[Page ${number}]\n${text === '' ? '[No text; the page may be a picture.]' : text}\n`;
    // There is always something to show, even if the first page does not fit.
    if (parts.length > 0 && (part.length > room || performance.now() > end)) {
      next = number;
      break;
    }
    parts.push(part.slice(0, room).toWellFormed());
    room -= part.length;
  }
  return { pages: pdf.numPages, ...(await headOf(pdf)), text: parts.join('\n'), next };
}

function* numbersOf(ranges: readonly Range[]): Generator<number> {
  for (const { from, to } of ranges) for (let number = from; number <= to; number += 1) yield number;
}

function parseRanges(pages: string, last: number): Range[] {
  const parts = pages.split(',').map((part) => part.trim());
  if (parts.length > MAX_RANGES) throw new Error(`pages may contain ${MAX_RANGES} ranges at most`);
  return parts.map((part) => {
    const [, first, dash, end] = RANGE.exec(part) ?? [];
    const from = Number(first ?? 1);
    const to = dash === undefined ? from : Math.min(Number(end ?? last), last);
    if ((first ?? end) === undefined || from < 1) throw new Error('pages must look like 1-3,7,20-');
    if (from > last) throw new Error(`The PDF has ${last} pages, and page ${from} was asked for`);
    return { from, to };
  });
}

async function headOf(pdf: OpenPdf): Promise<{ readonly title: string; readonly author: string }> {
  const { info } = await pdf.getMetadata();
  const { Title, Author } = info as { readonly Title?: unknown; readonly Author?: unknown };
  return { title: lineOf(Title), author: lineOf(Author) };
}

function lineOf(text: unknown): string {
  return typeof text === 'string' ? text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_NAME).toWellFormed() : '';
}
