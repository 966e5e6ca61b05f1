export { AgainButton, Attempts, DeliveryState, DeliveryList } from './delivery-list.tsx';
export { NotifySection } from './notify-section.tsx';
