import type { EditableApproval } from '../../db/approvals/approvals.ts';
import type { Recipient } from '../../db/notifications/find-recipient.ts';
import { cut, escapeHtml, plainLine } from '../../domain/core/text.ts';
import {
  type Background,
  backgroundLines,
  leadOf,
  shownLines,
  subjectOf,
  termsOf,
} from '../../domain/shown-approval.ts';
import type { OutgoingMail } from '../tools/operations/connections/send-mail.ts';

/** The content of a mail, and its recipient. */
interface Notification {
  readonly approval: EditableApproval;
  readonly recipient: Recipient;
  readonly background: Background;
  /** Where it is decided. */
  readonly link: string;
  /** Whether they were mailed about it before. */
  readonly isReminder: boolean;
  /** The same for all attempts. */
  readonly key: string;
}

const MAX_SUBJECT = 150;
/** A longer value is cut in the mail; the page behind the link has it whole. */
const MAX_VALUE = 4_000;
const MAX_LINES = 60;

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;color:#1a1a1a;max-width:44rem;margin:1rem auto;padding:0 1rem}
pre{background:#f4f4f4;padding:.75rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere}
a{display:inline-block;padding:.6rem 1.2rem;background:#0b6e5f;color:#fff;border-radius:.4rem;text-decoration:none}
footer{margin-top:2rem;color:#666}`;

/** Writes the mail. Texts of agents are shown as they are: nothing in them is markup, a link or a header. */
export function mailOf({ approval, recipient, background, link, isReminder, key }: Notification): OutgoingMail {
  const { label, question } = approval;
  const lead = isReminder ? `Reminder: ${leadOf({ ...approval, escalatedAt: null })}` : leadOf(approval);
  const shown = shownLines(approval);
  const omitted = shown.length - MAX_LINES;
  const lines = [
    ...shown.slice(0, MAX_LINES).map((line) => ({ ...line, value: shortened(line.value) })),
    ...(omitted > 0 ? [{ label: 'And more', value: `${omitted} more values are shown where you decide` }] : []),
    ...backgroundLines(background),
  ];
  const terms = termsOf(approval);
  const action = question === null ? 'Review it and decide' : 'Answer';
  const warning = recipient.approvalsSignIn ? '' : ' Anyone with the link can decide in your name: do not forward it.';
  const why = `You receive this e-mail because you asked to be notified of what is waiting for you in ${plainLine(recipient.orgName, 100)}.${warning}`;
  // A question is the first of the lines.
  const title = question === null ? [plainLine(label, 300)] : [];
  const parts = lines.map(({ label: name, value }) => `<h3>${escapeHtml(name)}</h3><pre>${escapeHtml(value)}</pre>`);
  const html = `<!doctype html><html><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><style>${STYLE}</style></head>
<body><h2>${escapeHtml(lead)}</h2>${title.map((line) => `<p>${escapeHtml(line)}</p>`).join('')}${parts.join('')}<p>${escapeHtml(terms)}</p>
<p><a href="${escapeHtml(link)}">${action}</a></p><footer>${escapeHtml(why)}</footer></body></html>`;
  const text = [
    lead,
    ...title.map(quoted),
    ...lines.map(({ label: name, value }) => `${quoted(`${plainLine(name, 200)}:`)}\n${quoted(value)}`),
    terms,
    `${action}: ${link}`,
    why,
  ].join('\n\n');
  return {
    to: [recipient.email],
    cc: [],
    bcc: [],
    replyTo: undefined,
    subject: plainLine(`${lead}: ${subjectOf(approval)}`, MAX_SUBJECT),
    text,
    html,
    inReplyTo: undefined,
    attachments: [],
    isAutomatic: true,
    key,
  };
}

// Text of others cannot pass for a line of the mail, such as one with a link.
function quoted(value: string): string {
  return value.replaceAll(/^/gm, '> ');
}

function shortened(value: string): string {
  if (value.length <= MAX_VALUE) return value;
  return `${cut(value, MAX_VALUE)}… (${value.length - MAX_VALUE} more characters)`;
}
