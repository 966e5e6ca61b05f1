import { v5 as uuidv5 } from 'uuid';
import { cut, plainLine } from '../../domain/core/text.ts';
import type { Report } from './report.ts';
import { LINK_TEXT } from './senders/sender.ts';

const MAX_SUBJECT = 200;
const MAX_BODY = 110_000;

/** Returns several reports as one, with a section for each and the files of all. */
export function digestOf(reports: readonly [Report, ...Report[]]): Report {
  const room = Math.floor(MAX_BODY / reports.length);
  const subjects = reports.map(({ subject }) => subject).join(', ');
  return {
    key: keyOf(reports.map(({ key }) => key)),
    subject: plainLine(`${reports.length} reports: ${subjects}`, MAX_SUBJECT),
    body: reports.map((report) => sectionOf(report, room)).join('\n\n---\n\n'),
    link: null,
    files: reports.flatMap(({ files }) => files),
  };
}

function sectionOf({ subject, body, link }: Report, room: number): string {
  const section = `## ${subject}\n\n${cut(body, room)}`;
  return link === null ? section : `${section}\n\n[${LINK_TEXT}](${link})`;
}

// Another one when a report that is sent again is collected with others: whoever drops what they have would miss these.
function keyOf(keys: readonly string[]): string {
  return uuidv5(keys.join(' '), uuidv5.URL);
}
