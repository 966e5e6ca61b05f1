/**
 * The outcome of an attempt. `success`: it was done. `denied`: the caller lacked the right. `failed`: the server
 * failed, so the change may or may not have been made.
 */
export const AUDIT_OUTCOMES = ['success', 'denied', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** Which credential a request came with, as far as it is known. */
export interface AuditCredential {
  readonly sessionId: string | undefined;
  readonly apiKeyId: string | undefined;
}

/** One entry of the audit log: an actor, an action and a record. It holds ids and field names, never field values. */
export interface AuditEntry extends AuditCredential {
  /** Time-ordered: its time is `createdAt`. */
  readonly id: string;
  readonly createdAt: Date;
  /** Undefined where the caller is not known yet: the owner of the credential is meant. */
  readonly actorId: string | undefined;
  /** The organization it concerns; when there is none, or it is gone, the active one of the actor is meant. */
  readonly orgId: string | undefined;
  /** `<record type>.<verb>`. */
  readonly action: string;
  readonly recordType: string;
  readonly recordId: string | undefined;
  /** Other records that the request names. */
  readonly relatedIds: readonly string[];
  /** Names of the fields that were sent. */
  readonly fields: readonly string[];
  readonly outcome: AuditOutcome;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Address that the request came from: that of the client, when a trusted proxy says so. */
  readonly ip: string;
  /** The number of attempts this entry stands for. */
  readonly attempts: number;
}
