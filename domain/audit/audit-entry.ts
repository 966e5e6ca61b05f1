/**
 * How what was tried has ended: it was done (`success`), the caller was not let (`denied`), or it ended with a fault of
 * ours, so that it may have been done or not (`failed`).
 */
export const AUDIT_OUTCOMES = ['success', 'denied', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** Which credential a request came with, as far as it is known. */
export interface AuditCredential {
  readonly sessionId: string | undefined;
  readonly apiKeyId: string | undefined;
}

/** Who did, or tried to do, what to which record. Holds ids and names of fields, never what was in them. */
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
  /** How many attempts it stands for. */
  readonly attempts: number;
}
