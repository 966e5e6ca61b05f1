import { describeFailover } from './describe-failover.ts';

describeFailover(2);
