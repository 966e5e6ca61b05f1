import { tearDown } from './teardown.ts';

export default tearDown;
