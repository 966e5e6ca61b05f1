import { ProviderFailure } from './provider-failure.ts';

/** Longest answer on the wire: a stream wraps each token in some 200 bytes of JSON. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** The response with each arrival of bytes reported; more bytes than any answer needs end it as a failure. */
export function watchBody(response: Response, onBytes: () => void): Response {
  if (response.body === null) return response;
  let received = 0;
  const watched = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        received += bytes.byteLength;
        if (received > MAX_BODY_BYTES) throw new ProviderFailure('sent far more than an answer can hold');
        onBytes();
        controller.enqueue(bytes);
      },
    }),
  );
  return new Response(watched, { status: response.status, headers: response.headers });
}
