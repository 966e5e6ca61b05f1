/** Names a call by its caller and by what a cancelling notification finds it by. */
export function nameOfCall(
  { orgId, userId }: { readonly orgId: string; readonly userId: string },
  digest: Buffer,
): string {
  return `${orgId} ${userId} ${digest.toString('hex')}`;
}

/** The calls of MCP clients that this process is answering. */
export class WaitingCalls {
  readonly #calls = new Map<string, AbortController>();

  /** Aborts `cancelled` once a client cancels the call, at any process, until the returned function is called. */
  add(name: string, cancelled: AbortController): () => void {
    this.#calls.set(name, cancelled);
    return () => {
      if (this.#calls.get(name) === cancelled) this.#calls.delete(name);
    };
  }

  /** Aborts a call that its client has cancelled. */
  cancel(name: string): void {
    this.#calls.get(name)?.abort();
  }
}
