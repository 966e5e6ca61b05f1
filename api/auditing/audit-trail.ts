import type { NewAuditEntry } from '../../db/audit/index.ts';

/** An event before it becomes an entry of the audit log. */
export type AuditEvent = Omit<NewAuditEntry, 'id' | 'createdAt' | 'attempts'>;

/** Records who did what. Its methods never throw: an entry that cannot be stored now is stored later, or logged. */
export interface AuditTrail {
  /** Records a change; resolves when it is stored, or has taken too long to wait for. */
  changed(event: AuditEvent): Promise<void>;
  /** Records a denial or failure within seconds. In a flood only some are recorded singly. */
  denied(event: AuditEvent): void;
}
