/** What tells an address of its messages or runs. */
export interface WebhookOwner {
  readonly orgId: string;
  readonly kind: 'chat' | 'workflow' | 'schedule';
  readonly id: string;
}

/** The column of `webhook_targets` that names an owner of each kind. */
export const OWNER_COLUMNS = {
  chat: 'chat_id',
  workflow: 'workflow_id',
  schedule: 'schedule_id',
} as const satisfies Readonly<Record<WebhookOwner['kind'], string>>;
