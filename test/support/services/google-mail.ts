import { Refused, type Routes } from './google-routes.ts';

interface StoredMail {
  readonly raw: string;
  readonly threadId: string;
  readonly labelIds: readonly string[];
}

const ME = '/gmail/v1/users/me';
const LABELS = [
  { id: 'INBOX', name: 'INBOX' },
  { id: 'UNREAD', name: 'UNREAD' },
  { id: 'Label_7', name: 'To do' },
];

/** Mail as the Gmail API has it. */
export class GoogleMail {
  readonly mails = new Map<string, StoredMail>();
  readonly drafts = new Map<string, StoredMail>();
  readonly routes: Routes = {
    [`GET ${ME}/messages`]: ({ query }) => {
      const from = Number(query.get('pageToken') ?? 0);
      const size = Number(query.get('maxResults') ?? 100);
      const found = [...this.mails].filter(([, { raw }]) => raw.includes(query.get('q') ?? ''));
      const messages = found.slice(from, from + size).map(([id, { threadId }]) => ({ id, threadId }));
      const next = from + size < found.length ? { nextPageToken: String(from + size) } : {};
      return { messages, ...next, resultSizeEstimate: found.length };
    },
    [`GET ${ME}/messages/*`]: ({ parts: [id = ''], query }) => {
      const mail = this.mails.get(id);
      return mail === undefined ? missing() : { id, ...shown(mail, query.get('format') ?? 'full') };
    },
    [`POST ${ME}/messages/send`]: ({ json }) => this.#send(json as unknown as Sent),
    [`POST ${ME}/drafts`]: ({ json: { message } }) => {
      const id = `r${this.drafts.size + 1}`;
      this.drafts.set(id, stored(message as Sent, 'DRAFT'));
      return { id, message: { id: `d${id}`, threadId: 't' } };
    },
    [`POST ${ME}/drafts/send`]: ({ json: { id } }) => {
      const draft = this.drafts.get(String(id));
      if (draft === undefined) return missing();
      this.drafts.delete(String(id));
      return this.#send(draft);
    },
    [`GET ${ME}/labels`]: () => ({ labels: LABELS }),
    [`POST ${ME}/messages/*/modify`]: ({ parts: [id = ''], json }) => {
      const { addLabelIds = [], removeLabelIds = [] } = json as Readonly<Record<string, readonly string[] | undefined>>;
      return this.#label(id, addLabelIds, removeLabelIds);
    },
    [`POST ${ME}/messages/*/trash`]: ({ parts: [id = ''] }) => this.#label(id, ['TRASH'], ['INBOX']),
  };

  #send(sent: Sent) {
    const [id, mail] = [`m${this.mails.size + 1}`, stored(sent, 'SENT')];
    this.mails.set(id, mail);
    return { id, threadId: mail.threadId, labelIds: mail.labelIds };
  }

  #label(id: string, added: readonly string[], removed: readonly string[]) {
    const mail = this.mails.get(id);
    if (mail === undefined) return missing();
    const labelIds = [...new Set([...mail.labelIds, ...added])].filter((each) => !removed.includes(each));
    this.mails.set(id, { ...mail, labelIds });
    return { id, threadId: mail.threadId, labelIds };
  }
}

interface Sent {
  readonly raw: string;
  readonly threadId?: string;
}

function stored({ raw, threadId = 'thread-1' }: Sent, label: string): StoredMail {
  return { raw: Buffer.from(raw, 'base64url').toString(), threadId, labelIds: [label] };
}

function shown({ raw, ...mail }: StoredMail, format: string) {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const headers = head
    .replaceAll(/\r\n\s+/g, ' ')
    .split('\r\n')
    .map((line) => ({ name: line.slice(0, line.indexOf(':')), value: line.slice(line.indexOf(':') + 1).trim() }));
  const content = rest.join('\r\n\r\n');
  const body = { size: content.length, data: Buffer.from(content).toString('base64url') };
  const payload = { mimeType: 'text/plain', filename: '', headers, ...(format === 'full' && { body }) };
  return { ...mail, snippet: content.slice(0, 20), payload };
}

function missing(): Refused {
  return new Refused(404, 'Requested entity was not found.');
}
