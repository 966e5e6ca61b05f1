import { describeFailover } from './describe-failover.ts';

describeFailover(Infinity);
