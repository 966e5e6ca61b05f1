import { baseUrlIssue } from '../../domain/network/index.ts';
import type { ApiContext } from '../context/api-context.ts';
import { fieldIssue } from '../http/problem.ts';

/** Rejects an address that may not be told: its text is checked here, where it leads when it is connected to. */
export function checkWebhookUrl(
  { privateHosts }: Pick<ApiContext, 'privateHosts'>,
  url: string | null | undefined,
  field: 'url' | 'notify_url',
): void {
  if (url == null) return;
  const issue = baseUrlIssue(url, privateHosts);
  if (issue !== undefined) throw fieldIssue(field, issue);
}
