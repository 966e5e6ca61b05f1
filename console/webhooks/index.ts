export { AgainButton, DeliveryState } from './delivery.tsx';
export { DeliveryList } from './delivery-list.tsx';
export { NotifySection } from './notify-section.tsx';
