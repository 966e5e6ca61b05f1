import { startTestInstance } from '../support/test-instance.ts';
import { describeFailover } from './describe-failover.ts';

describeFailover(startTestInstance, 2);
