import type { Trust } from '../context.ts';

/** A request ready to be sent. */
export interface BuiltRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  readonly followRedirects: boolean;
  /** Whether a redirect to this address may be followed; any unless given. */
  readonly mayFollow?: ((url: string) => boolean) | undefined;
  readonly trust?: Trust | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}
