import { z } from 'zod';
import type { Service } from '../../../context.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import { filePath } from '../../../workspace/workspace-path.ts';
import { pickFields } from '../../services/pick-fields.ts';
import type { ServiceCall } from '../../services/service-tool.ts';
import { sendRequest } from '../../../requests/send-request.ts';
import { callSlack } from './call-slack.ts';

/** As much as one call keeps in memory; Slack takes more. */
export const MAX_FILE = 25 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

interface Upload {
  /** Path in the workspace. */
  readonly file: string;
  readonly channel: string;
  readonly text: string | undefined;
  readonly thread_ts: string | undefined;
}

const placeSchema = z.object({ upload_url: z.string().max(4_000), file_id: z.string().max(100) });

/**
 * Shares a file of the workspace in a channel: Slack names an address for the bytes, and then takes the file from
 * there.
 */
export async function uploadFile(upload: Upload, { service, context, readSent }: ServiceCall): Promise<unknown> {
  const path = filePath(upload.file);
  const bytes = await readSent(upload.file);
  const filename = path.at(-1) ?? '';
  const query = { filename, length: bytes.length };
  const said = await callSlack(service, { method: 'files.getUploadURLExternal', query, effect: 'read' });
  const place = placeSchema.safeParse(said);
  if (!place.success) throw new ToolFailure('upstream', 'Slack names no place for the file');
  await sendBytes(addressOf(service, place.data.upload_url), bytes, context);
  const { channel, text, thread_ts } = upload;
  const json = {
    files: [{ id: place.data.file_id, title: filename }],
    channel_id: channel,
    initial_comment: text,
    thread_ts,
  };
  const done = await callSlack(service, { method: 'files.completeUploadExternal', json, effect: 'once' });
  return { files: pickFields(done['files'], ['id', 'title', 'name', 'permalink']) };
}

/**
 * Returns the address for the bytes: a server of Slack, below the host of its API. It opens the upload by itself, so no
 * credentials go there.
 */
function addressOf({ apiUrl }: Service, text: string): string {
  const [url, api] = [URL.parse(text), new URL(apiUrl)];
  const isSlack = url !== null && url.protocol === api.protocol && isBelow(url, api);
  if (isSlack && url.username === '' && url.password === '') return url.href;
  throw new ToolFailure('upstream', 'Slack names a place for the file that is not a server of its own');
}

function isBelow(url: URL, api: URL): boolean {
  return url.host === api.host || (url.port === '' && url.hostname.endsWith(`.${api.hostname}`));
}

async function sendBytes(url: string, body: Uint8Array, context: ServiceCall['context']): Promise<void> {
  const headers = { 'Content-Type': 'application/octet-stream' };
  const request = {
    url,
    method: 'POST',
    headers,
    body,
    followRedirects: false,
    timeoutMs: TIMEOUT_MS,
    maxBytes: 1_000,
  };
  // Nothing is shared until the upload is completed, so to send the bytes again changes nothing.
  const { status } = await sendRequest(request, 'keyed', context);
  if (status >= 300)
    throw new ToolFailure('upstream', `The server for files of Slack answers with the status ${status}`);
}
