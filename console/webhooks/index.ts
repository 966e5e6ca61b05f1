export { AgainButton, Attempts, DeliveryState, DeliveryList } from './delivery-list.tsx';
export { type Notified, type NotifyChanges, NotifySection } from './notify-section.tsx';
export type { DeliverySource } from './queries.ts';
