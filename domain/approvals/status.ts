/** The states of an approval. All but the first are final. */
export const APPROVAL_STATUSES = ['pending', 'approved', 'denied', 'expired', 'cancelled', 'outdated'] as const;

export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** The state of an approval that waits no longer. */
export type FinalApprovalStatus = Exclude<ApprovalStatus, 'pending'>;
