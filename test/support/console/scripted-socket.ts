/** A socket whose server is the test. */
export class ScriptedSocket extends EventTarget {
  readonly token: string;
  readonly sent: string[] = [];
  isClosed = false;
  /** Whether the server is there to answer a ping. */
  answersPings = true;

  constructor(token: string) {
    super();
    this.token = token;
  }

  send(data: string): void {
    this.sent.push(data);
    if (this.answersPings && data === '{"type":"ping"}') queueMicrotask(() => this.say({ type: 'pong' }));
  }

  close(): void {
    this.isClosed = true;
  }

  /** Says frames, as the server would. */
  say(...frames: readonly (Readonly<Record<string, unknown>> & { readonly type: string })[]): void {
    for (const frame of frames) this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }));
  }

  /** Ends the connection, as the server or the network would. */
  end(code: number): void {
    this.dispatchEvent(new CloseEvent('close', { code }));
  }
}
