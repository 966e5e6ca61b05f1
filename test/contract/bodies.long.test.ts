import { describeBodies } from './describe-bodies.ts';

describeBodies(Infinity);
