import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A mail that the server has accepted. */
interface AcceptedMail {
  readonly to: readonly string[];
  /** The message as it was sent. */
  readonly mail: string;
}

/** An SMTP server without TLS and passwords that keeps all mails. It rejects recipients that begin with `nobody@`. */
export class MailServer {
  readonly mails: AcceptedMail[] = [];
  /** How many of the next mails are refused with a temporary error. */
  refusals = 0;
  readonly #server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: ({ address }, _session, done) => done(address.startsWith('nobody@') ? new Error('no such user') : null),
    onData: (stream, { envelope }, done) => {
      const accept = async (): Promise<void> => {
        const mail = await text(stream);
        if (this.refusals > 0) {
          this.refusals -= 1;
          return done(Object.assign(new Error('try again later'), { responseCode: 451 }));
        }
        this.mails.push({ to: envelope.rcptTo.map(({ address }) => address), mail });
        done(null);
      };
      void accept();
    },
  });

  static async start(): Promise<MailServer> {
    const server = new MailServer();
    await once(server.#server.listen(0, '127.0.0.1'), 'listening');
    return server;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    await new Promise((done) => this.#server.close(() => done(null)));
  }
}
