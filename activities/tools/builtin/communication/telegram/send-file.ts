import { filePath } from '../../../workspace/workspace-path.ts';
import type { ServiceCall } from '../../services/service-tool.ts';
import { callTelegram } from './call-telegram.ts';

/** As much as one call keeps in memory; Telegram takes 50 MB. */
export const MAX_FILE = 25 * 1024 * 1024;

interface SentFile {
  readonly chat_id: string;
  /** Path in the workspace. */
  readonly file: string;
  readonly caption: string | undefined;
  readonly parse_mode: string | undefined;
}

/** Sends a file of the workspace to a chat. */
export async function sendFile(
  { chat_id, file, caption, parse_mode }: SentFile,
  { service, readSent }: ServiceCall,
): Promise<unknown> {
  const bytes = await readSent(file);
  const form = new FormData();
  for (const [name, value] of Object.entries({ chat_id, caption, parse_mode }))
    if (value !== undefined) form.append(name, value);
  form.append('document', new Blob([new Uint8Array(bytes)]), filePath(file).at(-1));
  const encoded = new Response(form);
  const headers = { 'Content-Type': encoded.headers.get('content-type') ?? '' };
  const body = new Uint8Array(await encoded.arrayBuffer());
  return callTelegram(service, { method: 'sendDocument', headers, body, effect: 'once' });
}
