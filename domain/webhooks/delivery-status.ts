/** What is told: the end of a turn, or of a workflow's run. */
export const DELIVERY_EVENTS = ['message.created', 'run.ended'] as const;

/** What a delivery tells of. */
export type DeliveryEvent = (typeof DELIVERY_EVENTS)[number];

/** Whether something is to be delivered, was taken, or was given up. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

/** How a delivery stands. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
