/** An answer of the api. `json` is the parsed body, undefined when there is none. */
export interface ApiAnswer<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly json: T;
}

interface ApiRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
}

/** Calls the api as one user. */
export class ApiClient {
  readonly url: string;
  readonly token: string | undefined;

  constructor(url: string, token?: string) {
    this.url = url;
    this.token = token;
  }

  /** Returns the same api with another token, or without one. */
  as(token: string | undefined): ApiClient {
    return new ApiClient(this.url, token);
  }

  async get<T = unknown>(path: string, headers?: Record<string, string>): Promise<ApiAnswer<T>> {
    return this.send('GET', path, undefined, headers);
  }

  async post<T = unknown>(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer<T>> {
    return this.send('POST', path, body, headers);
  }

  async patch<T = unknown>(path: string, body?: unknown): Promise<ApiAnswer<T>> {
    return this.send('PATCH', path, body);
  }

  async delete<T = unknown>(path: string): Promise<ApiAnswer<T>> {
    return this.send('DELETE', path);
  }

  /** Sends a multipart form. */
  async upload<T>(path: string, form: FormData, headers: Record<string, string> = {}): Promise<ApiAnswer<T>> {
    return this.#answerOf(path, { method: 'POST', headers, body: form });
  }

  async send<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer<T>> {
    return this.#answerOf(path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  /** Reads what is no JSON. */
  async download(path: string, headers: Record<string, string> = {}, method = 'GET') {
    const response = await this.#request(path, { method, headers });
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  }

  async #answerOf<T>(path: string, request: ApiRequest): Promise<ApiAnswer<T>> {
    const response = await this.#request(path, request);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
    return { status: response.status, headers: response.headers, json: (isJson ? JSON.parse(text) : undefined) as T };
  }

  async #request(path: string, { headers, ...request }: ApiRequest): Promise<Response> {
    const authorization = this.token === undefined ? {} : { authorization: `Bearer ${this.token}` };
    return fetch(`${this.url}${path}`, { ...request, headers: { ...authorization, ...headers } });
  }
}
