import { createHash } from 'node:crypto';

/** Returns the body that uploads a file together with its metadata, and its content type. */
export function multipartBody(
  metadata: object,
  { type, content }: { readonly type: string; readonly content: Uint8Array },
): { readonly type: string; readonly body: Uint8Array } {
  // Of the content, so that it cannot occur in it.
  const boundary = `everturn-${createHash('sha256').update(content).digest('hex')}`;
  const head = `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${JSON.stringify(metadata)}\r\n--${boundary}\r\nContent-Type: ${type}\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { type: `multipart/related; boundary=${boundary}`, body };
}
