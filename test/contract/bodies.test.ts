import { describeBodies } from './describe-bodies.ts';

describeBodies(5);
