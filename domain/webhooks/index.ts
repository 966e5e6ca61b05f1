export { waitAfterFailure } from './back-off.ts';
export { DELIVERY_EVENTS, DELIVERY_STATUSES, type DeliveryEvent, type DeliveryStatus } from './delivery-status.ts';
export { MAX_SENT_CHARACTERS, type MessageSubject, payloadOf, type RunSubject } from './payload.ts';
