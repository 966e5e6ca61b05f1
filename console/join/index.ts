export { JoinPage } from './join-page.tsx';
