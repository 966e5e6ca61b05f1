import { json, OutsideServer, type SeenRequest } from '../outside-server.ts';
import { answerBy, Refused, type Routes } from './google-routes.ts';

/** A server that speaks formats of Google, which Google's own clients read too. */
export class GoogleServer {
  readonly #server: OutsideServer;
  /** A status that all requests are refused with. */
  refusal: Refused | undefined;

  private constructor(server: OutsideServer, routes: Routes) {
    this.#server = server;
    server.reply = (response, request) => {
      const answer = this.refusal ?? answerBy(routes, request);
      if (answer instanceof Refused) {
        const { status: code, message, reason } = answer;
        return json({ error: { code, message, errors: [{ message, reason }] } }, code)(response, request);
      }
      if (answer === undefined) return void response.writeHead(204).end();
      if (typeof answer === 'string') return void response.writeHead(200, { 'content-type': 'text/plain' }).end(answer);
      return json(answer)(response, request);
    };
  }

  static async start(routes: Routes): Promise<GoogleServer> {
    return new GoogleServer(await OutsideServer.start(), routes);
  }

  /** The requests that have arrived. */
  get seen(): SeenRequest[] {
    return this.#server.seen;
  }

  get port(): number {
    return this.#server.port;
  }

  get url(): string {
    return this.#server.url;
  }

  /** The options with which Google's clients come here. */
  get clientOptions() {
    return { rootUrl: `${this.url}/`, fetchImplementation: fetch, retry: false };
  }

  close(): void {
    this.#server.close();
  }
}
