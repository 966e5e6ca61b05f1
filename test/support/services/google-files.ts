import { Refused, type RouteRequest, type Routes } from './google-routes.ts';

interface StoredFile {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly content: string;
}

const FILES = '/drive/v3/files';

/** Files as the Drive API has them. */
export class GoogleFiles {
  readonly files = new Map<string, StoredFile>();
  readonly permissions = new Map<string, Readonly<Record<string, unknown>>>();
  readonly routes: Routes = {
    [`GET ${FILES}`]: () => ({ files: [...this.files.values()].map(({ fields }) => fields), nextPageToken: 'page-2' }),
    [`GET ${FILES}/*`]: ({ parts: [id = ''], query }) => {
      const file = this.files.get(id);
      if (file === undefined) return new Refused(404, `File not found: ${id}.`);
      return query.get('alt') === 'media' ? file.content : file.fields;
    },
    [`GET ${FILES}/*/export`]: ({ parts: [id = ''], query }) =>
      `${this.files.get(id)?.content ?? ''} as ${query.get('mimeType')}`,
    [`POST /upload${FILES}`]: (request) => this.#upload(`file-${this.files.size + 1}`, request),
    [`PATCH /upload${FILES}/*`]: (request) => this.#upload(request.parts[0] ?? '', request),
    [`PATCH ${FILES}/*`]: ({ parts: [id = ''], query, json }) => {
      const { fields, content } = this.files.get(id) ?? { fields: { id }, content: '' };
      const added = query.get('addParents');
      const parents = added === null ? {} : { parents: [added] };
      return this.#store(id, { ...fields, ...json, ...parents }, content);
    },
    [`POST ${FILES}/*/permissions`]: ({ json }) => {
      const id = String(json['emailAddress']);
      this.permissions.set(id, json);
      return { kind: 'drive#permission', id, type: json['type'], role: json['role'] };
    },
  };

  #upload(id: string, { body, query }: RouteRequest) {
    const boundary = /^--(?<boundary>\S+)\r\n/.exec(body)?.groups?.['boundary'];
    if (query.get('uploadType') !== 'multipart' || boundary === undefined) return new Refused(400, 'Bad Request');
    const [metadata = '', media = ''] = body
      .split(`--${boundary}`)
      .slice(1, 3)
      .map((part) => part.slice(part.indexOf('\r\n\r\n') + 4).replace(/\r\n$/, ''));
    const type = /content-type: (?<type>[^\r]+)/i.exec(body.split(`--${boundary}`)[2] ?? '')?.groups?.['type'];
    const former = this.files.get(id)?.fields;
    const fields = { mimeType: type, ...former, ...(JSON.parse(metadata) as object) };
    return this.#store(id, fields, media);
  }

  #store(id: string, fields: StoredFile['fields'], content: string) {
    const file = { ...fields, id };
    this.files.set(id, { fields: file, content });
    return file;
  }
}
