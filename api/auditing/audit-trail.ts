import type { NewAuditEntry } from '../../db/audit/index.ts';

/** What has happened, before it is an entry of the audit log. */
export type AuditEvent = Omit<NewAuditEntry, 'id' | 'createdAt' | 'attempts'>;

/** Where it is kept who did what. Its calls never throw: what cannot be stored now is stored later, or told to the log. */
export interface AuditTrail {
  /** Records a change; resolves when that is stored, or has taken too long to wait for. */
  changed(event: AuditEvent): Promise<void>;
  /** Records, within seconds, what was refused or has failed. Of a flood only some is recorded singly. */
  denied(event: AuditEvent): void;
}
