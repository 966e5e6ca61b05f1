export { countOpenWork } from './count-open-work.ts';
