import { v5 as uuidv5 } from 'uuid';
import { cut, plainLine } from '../../domain/core/text.ts';
import type { Report } from './report.ts';
import { LINK_TEXT } from './senders/sender.ts';

const MAX_SUBJECT = 200;
const MAX_BODY = 110_000;

/** A report that may be collected with others. */
export interface CollectedReport extends Report {
  /** Its page in the console. */
  readonly page: string;
}

/**
 * Returns several reports as one, with a section for each and the files of all. Chat services show less than that: its
 * link leads to a page with all reports.
 */
export function digestOf(reports: readonly [CollectedReport, ...CollectedReport[]], link: string): Report {
  const room = Math.floor(MAX_BODY / reports.length);
  const subjects = reports.map(({ subject }) => subject).join(', ');
  return {
    key: keyOf(reports.map(({ key }) => key)),
    subject: plainLine(`${reports.length} reports: ${subjects}`, MAX_SUBJECT),
    body: reports.map((report) => sectionOf(report, room)).join('\n\n---\n\n'),
    link,
    files: reports.flatMap(({ files }) => files),
    pictures: [],
    unattached: reports.flatMap(({ unattached }) => unattached),
  };
}

function sectionOf(report: CollectedReport, room: number): string {
  const section = `## ${report.subject}\n\n${bodyWithin(report, room)}`;
  return report.link === null ? section : `${section}\n\n[${LINK_TEXT}](${report.link})`;
}

/** Returns the body of a report as far as its share of a digest goes, with how much is missing, and where that is. */
export function bodyWithin({ body, page }: Pick<CollectedReport, 'body' | 'page'>, room: number): string {
  const kept = cut(body, room);
  const rest = body.length - kept.length;
  return rest === 0 ? body : `${kept}\n\n[… ${rest} more characters: ${page}]`;
}

// A different key when a report that is sent again is collected with others: a receiver that drops duplicates would
// miss these.
function keyOf(keys: readonly string[]): string {
  return uuidv5(keys.join(' '), uuidv5.URL);
}
